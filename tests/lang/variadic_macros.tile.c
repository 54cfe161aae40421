// Macros with '...': a text with values, a maximum of several, one call more for each argument.
#define CHECK(condition, ...) tile_assert(condition, "CHECK(" #condition ") " __VA_ARGS__)
#define LOAD(p, i, ...) load((p) + (i) __VA_OPT__(,) __VA_ARGS__)
#define FIRST(a, ...) a
#define REST(a, ...) __VA_ARGS__
#define MOST(...) maximum(FIRST(__VA_ARGS__), REST(__VA_ARGS__))

kernel void k(const float *X, float *Out, int n)
{
    CHECK(n > 0);
    CHECK(n < 100, "n is small");
    int i = arange(0, 16);
    store(Out + i, MOST(LOAD(X, i), LOAD(X, i + 16, i < n, 1.0f)));
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = constant {0} : i64
  %1 = gt %n.1, %0 : bool
  assert {"CHECK(n > 0) "} %1
  %2 = constant {100} : i64
  %3 = lt %n.1, %2 : bool
  assert {"CHECK(n < 100) n is small"} %3
  %i = arange {0 to 16} : i64[16]
  %4 = broadcast %Out : ptr<f32>[16]
  %5 = addptr %4, %i : ptr<f32>[16]
  %6 = broadcast %X : ptr<f32>[16]
  %7 = addptr %6, %i : ptr<f32>[16]
  %8 = load %7 : f32[16]
  %9 = constant {16} : i64[16]
  %10 = add %i, %9 : i64[16]
  %11 = broadcast %X : ptr<f32>[16]
  %12 = addptr %11, %10 : ptr<f32>[16]
  %13 = broadcast %n.1 : i64[16]
  %14 = lt %i, %13 : bool[16]
  %15 = constant {1.0} : f32[16]
  %16 = load %12, %14, %15 : f32[16]
  %17 = maximum %8, %16 : f32[16]
  store %5, %17
  return
}
