// One group: from striped to blocked within 32 lanes.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out)
{
    int i = arange_in(layout(0, 1, 2, 3, 4, 5, .per_thread = 2), 0, 64);
    float x = load(X + i);
    float y = convert_layout(x, layout(5, 0, 1, 2, 3, 4, .per_thread = 2));
    store(Out + arange(0, 64), y);
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = cast %0 : i32
  %2 = constant {32} : i64
  %3 = add %0, %2 : i64
  %4 = addptr %X, %0 : ptr<f32>
  %5 = load %4 : f32
  %6 = addptr %X, %3 : ptr<f32>
  %7 = load %6 : f32
  %8 = constant {4} : i32
  %9 = shr %1, %8 : i32
  %10 = constant {15} : i64
  %11 = and %0, %10 : i64
  %12 = constant {2} : i64
  %13 = mul %11, %12 : i64
  %14 = shuffle %5, %13 : f32
  %15 = shuffle %7, %13 : f32
  %16 = constant {1} : i64
  %17 = constant {1} : i32
  %18 = eq %9, %17 : bool
  %19 = select %18, %15, %14 : f32
  %20 = add %13, %16 : i64
  %21 = shuffle %5, %20 : f32
  %22 = shuffle %7, %20 : f32
  %23 = select %18, %22, %21 : f32
  %24 = pack %19, %23 : f32[2]
  %25 = mul %0, %12 : i64
  %26 = addptr %Out, %25 : ptr<f32>
  vector_store {packed} %26, %24
  return
}
