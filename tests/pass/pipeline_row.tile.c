#include <tilec/kernel.h>

launch_grid(row_max, rows);

kernel void row_max(const float *restrict X, float *restrict Out, int rows, int N)
{
    int row = program_id(0);
    float m = -INFINITY;
    for (int i = 0; i < N; i += 64) {
        int col = i + arange(0, 64);
        m = maximum(m, load(X + row * N + col, col < N, -INFINITY));
    }
    store(Out + row, max(m));
}
---
func @row_max(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>, %rows: i32, %N: i32) {
  %N.1 = cast %N : i64
  %row = program_id {axis 0} : i64
  %0 = constant {0} : i64
  %1 = constant {64} : i64
  %2 = constant {-inf} : f32[64]
  %3 = mul %row, %N.1 : i64
  %4 = addptr %X, %3 : ptr<f32>
  %5 = constant {-63} : i64
  %6 = add %N.1, %5 : i64
  %7 = maximum %6, %0 : i64
  %8 = cdiv %7, %1 : i64
  %9 = mul %8, %1 : i64
  %m = for %i = %0 to %9 step %1 carry (%m.1 = %2) : f32[64] {
    %10 = arange {0 to 64} : i64[64]
    %11 = broadcast %i : i64[64]
    %col = add %11, %10 : i64[64]
    %12 = broadcast %4 : ptr<f32>[64]
    %13 = addptr %12, %col : ptr<f32>[64]
    %14 = load %13 : f32[64]
    %m.2 = maximum %m.1, %14 : f32[64]
    yield %m.2
  }
  %m.3 = for %i.1 = %9 to %N.1 step %1 carry (%m.4 = %m) : f32[64] {
    %15 = arange {0 to 64} : i64[64]
    %16 = broadcast %i.1 : i64[64]
    %col.1 = add %16, %15 : i64[64]
    %17 = broadcast %4 : ptr<f32>[64]
    %18 = addptr %17, %col.1 : ptr<f32>[64]
    %19 = broadcast %N.1 : i64[64]
    %20 = lt %col.1, %19 : bool[64]
    %21 = load %18, %20, %2 : f32[64]
    %m.5 = maximum %m.4, %21 : f32[64]
    yield %m.5
  }
  %22 = addptr %Out, %row : ptr<f32>
  %23 = max {axis -1} %m.3 : f32
  store %22, %23
  return
}

grid func @grid(%rows: i32, %N: i32) -> (i64) {
  %rows.1 = cast %rows : i64
  return %rows.1
}
