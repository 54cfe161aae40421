// args: --stage gpu --target cuda --aligned all -D BLOCK=64
// Multiples of 16: aligned vectors, one mask for each of them, whose other arm reads nothing.
#include <tilec/kernel.h>
launch_grid(half_sum, rows);
kernel void half_sum(const half *restrict X, float *restrict Out, int rows, int n,
                     constexpr int BLOCK)
{
    int row = program_id(0), i = arange(0, BLOCK);
    float x = load(X + row * n + i, i < n);
    store(Out + row, sum(x * x));
}
---
func @half_sum(%X: const restrict ptr<f16>, %Out: restrict ptr<f32>, %rows: i32, %n: i32) {
  %n.1 = cast %n : i64
  %row = program_id {axis 0} : i64
  %0 = thread_index {0 to 32} : i64
  %1 = constant {2} : i64
  %2 = mul %0, %1 : i64
  %3 = constant {0} : i64
  %4 = mul %row, %n.1 : i64
  %5 = addptr %X, %4 : ptr<f16>
  %6 = lt %2, %n.1 : bool
  %7 = constant {0.0} : f16
  %8 = if %6 : f16[2] {
    %9 = addptr %5, %2 : ptr<f16>
    %10 = vector_load {aligned} %9 : f16[2]
    yield %10
  } else {
    %11 = pack %7, %7 : f16[2]
    yield %11
  }
  %x = cast %8 : f32[2]
  %12 = addptr %Out, %row : ptr<f32>
  %13 = mul %x, %x : f32[2]
  %14 = extract {0} %13 : f32
  %15 = extract {1} %13 : f32
  %16 = add %14, %15 : f32
  %17 = group_sum %16 : f32
  %18 = eq %0, %3 : bool
  store %12, %17, %18
  return
}
