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
  %1 = cast %0 : i32
  %2 = constant {2} : i64
  %3 = constant {2} : i32
  %4 = mul %0, %2 : i64
  %5 = mul %1, %3 : i32
  %6 = constant {0} : i32
  %7 = mul %row, %n.1 : i64
  %8 = addptr %X, %7 : ptr<f16>
  %9 = lt %5, %n : bool
  %10 = constant {0.0} : f16
  %11 = addptr %8, %4 : ptr<f16>
  %12 = pack %10, %10 : f16[2]
  %13 = vector_load {aligned} %11, %9, %12 : f16[2]
  %x = cast %13 : f32[2]
  %14 = addptr %Out, %row : ptr<f32>
  %15 = mul %x, %x : f32[2]
  %16 = extract {0} %15 : f32
  %17 = extract {1} %15 : f32
  %18 = add %16, %17 : f32
  %19 = group_sum %18 : f32
  %20 = eq %1, %6 : bool
  store %14, %19, %20
  return
}
