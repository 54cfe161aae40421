// Helpers are inlined, one instance for each use: auto takes anything, views and nothing go too.
static auto twice(auto x) { return x + x; }
static void put(view_t v, int i, float x) { tile_store(v, i, full(float, x, 4)); }
static float scaled(const float *p, int i, constexpr int N) { return sum(load(p + i + arange(0, N))); }
kernel void k(const float *X, float *Out, int n)
{
    auto v = view(Out, n);
    put(v, 3, scaled(X, n, 8));
    store(Out + twice(n), twice(2.5f));
    store(Out + twice(arange(0, 4)), 0);
}
---
func @k(%X: const ptr<f32>, %Out: ptr<f32>, %n: i32) {
  %n.1 = cast %n : i64
  %0 = addptr %X, %n.1 : ptr<f32>
  %1 = arange {0 to 8} : i64[8]
  %2 = broadcast %0 : ptr<f32>[8]
  %3 = addptr %2, %1 : ptr<f32>[8]
  %4 = load %3 : f32[8]
  %x = sum {axis -1} %4 : f32
  %i = constant {3} : i32
  %5 = broadcast %x : f32[4]
  %6 = cast %i : i64
  %7 = constant {1} : i64
  view_store {rank 1} %Out, %n.1, %7, %6, %5
  %8 = add %n.1, %n.1 : i64
  %9 = addptr %Out, %8 : ptr<f32>
  %10 = constant {5.0} : f32
  store %9, %10
  %x.1 = arange {0 to 4} : i64[4]
  %11 = add %x.1, %x.1 : i64[4]
  %12 = broadcast %Out : ptr<f32>[4]
  %13 = addptr %12, %11 : ptr<f32>[4]
  %14 = constant {0.0} : f32[4]
  store %13, %14
  return
}
