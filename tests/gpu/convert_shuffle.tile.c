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
  %1 = constant {32} : i64
  %2 = add %0, %1 : i64
  %3 = addptr %X, %0 : ptr<f32>
  %4 = load %3 : f32
  %5 = addptr %X, %2 : ptr<f32>
  %6 = load %5 : f32
  %7 = constant {4} : i64
  %8 = shr %0, %7 : i64
  %9 = constant {15} : i64
  %10 = and %0, %9 : i64
  %11 = constant {2} : i64
  %12 = mul %10, %11 : i64
  %13 = shuffle %4, %12 : f32
  %14 = shuffle %6, %12 : f32
  %15 = constant {1} : i64
  %16 = eq %8, %15 : bool
  %17 = select %16, %14, %13 : f32
  %18 = add %12, %15 : i64
  %19 = shuffle %4, %18 : f32
  %20 = shuffle %6, %18 : f32
  %21 = select %16, %20, %19 : f32
  %22 = pack %17, %21 : f32[2]
  %23 = mul %0, %11 : i64
  %24 = addptr %Out, %23 : ptr<f32>
  vector_store {packed} %24, %22
  return
}
