// One group: a lane bit and a register bit trade places, so that one shuffle serves two registers.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out)
{
    int i = arange_in(layout(0, 1, 2, 3, 4, 5, .per_thread = 2), 0, 64);
    float x = load(X + i);
    float y = convert_layout(x, layout(5, 1, 2, 3, 4, 0, .per_thread = 2));
    store(Out + arange(0, 64), y);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = constant {32} : i64
  %2 = add %0, %1 : i64
  %3 = addptr %X, %0 : ptr<f32>
  %4 = load %3 : f32
  %5 = addptr %X, %2 : ptr<f32>
  %6 = load %5 : f32
  %7 = constant {1} : i64
  %8 = constant {1} : i32
  %9 = lane_index {0 to 32} : i64
  %10 = cast %9 : i32
  %11 = and %10, %8 : i32
  %12 = constant {0} : i32
  %13 = ne %11, %12 : bool
  %14 = select %13, %4, %6 : f32
  %15 = shuffle_xor {1} %14 : f32
  %16 = select %13, %15, %4 : f32
  %17 = select %13, %6, %15 : f32
  %18 = pack %16, %17 : f32[2]
  %19 = and %0, %7 : i64
  %20 = mul %19, %1 : i64
  %21 = shr %0, %7 : i64
  %22 = constant {2} : i64
  %23 = mul %21, %22 : i64
  %24 = add %20, %23 : i64
  %25 = addptr %Out, %24 : ptr<f32>
  vector_store {packed} %25, %18
  return
}
