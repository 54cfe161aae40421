// args: --only fold,unroll_short_loops,fold,cse,dce -D ROWS=10
// Ten rows whose distance nobody knows are more places than a nest can follow (src/opt/trips.c): their loop stays one.
kernel void near(const uint8_t *restrict X, int *restrict Out, int w, constexpr int ROWS)
{
    int x = arange(0, 64), s = zeros(int, 64);
    for (int dy = 0; dy < ROWS; dy++)
        for (int dx = 0; dx < 3; dx++)
            s += load(X + dy * w + x + dx, x < w - 2);
    store(Out + x, s);
}
---
func @near(%X: const restrict ptr<u8>, %Out: restrict ptr<i32>, %w: i32) {
  %w.1 = cast %w : i64
  %x = arange {0 to 64} : i64[64]
  %s = constant {0} : i32[64]
  %0 = constant {0} : i64
  %1 = constant {10} : i64
  %2 = constant {1} : i64
  %s.1 = for %dy = %0 to %1 step %2 carry (%s.2 = %s) : i32[64] {
    %3 = mul %dy, %w.1 : i64
    %4 = addptr %X, %3 : ptr<u8>
    %5 = broadcast %4 : ptr<u8>[64]
    %6 = addptr %5, %x : ptr<u8>[64]
    %7 = constant {-2} : i64
    %8 = add %w.1, %7 : i64
    %9 = broadcast %8 : i64[64]
    %10 = lt %x, %9 : bool[64]
    %11 = constant {0} : u8[64]
    %12 = load %6, %10, %11 : u8[64]
    %13 = cast %12 : i32[64]
    %s.3 = add %s.2, %13 : i32[64]
    %14 = constant {1} : i64[64]
    %15 = addptr %6, %14 : ptr<u8>[64]
    %16 = load %15, %10, %11 : u8[64]
    %17 = cast %16 : i32[64]
    %s.4 = add %s.3, %17 : i32[64]
    %18 = constant {2} : i64[64]
    %19 = addptr %6, %18 : ptr<u8>[64]
    %20 = load %19, %10, %11 : u8[64]
    %21 = cast %20 : i32[64]
    %s.5 = add %s.4, %21 : i32[64]
    yield %s.5
  }
  %22 = broadcast %Out : ptr<i32>[64]
  %23 = addptr %22, %x : ptr<i32>[64]
  store %23, %s.1
  return
}
