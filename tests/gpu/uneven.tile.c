// A tile of 3 by 5: padded inside, reduced along rows, stored once.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Out)
{
    int i = expand_dims(arange(0, 3), 1) * 5 + expand_dims(arange(0, 5), 0);
    store(Out + arange(0, 3), sum(load(X + i), axis(1)));
}
---
func @k(%X: const restrict ptr<f32>, %Out: restrict ptr<f32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = constant {3} : i64
  %2 = and %0, %1 : i64
  %3 = shr %0, %1 : i64
  %4 = constant {5} : i64
  %5 = mul %3, %4 : i64
  %6 = constant {7} : i64
  %7 = and %0, %6 : i64
  %i = add %5, %7 : i64
  %8 = lt %3, %1 : bool
  %9 = lt %7, %4 : bool
  %10 = and %8, %9 : bool
  %11 = constant {0.0} : f32
  %12 = addptr %X, %i : ptr<f32>
  %13 = load %12, %10, %11 : f32
  %14 = constant {-0.0} : f32
  %15 = select %9, %13, %14 : f32
  %16 = shuffle_xor {1} %15 : f32
  %17 = add %15, %16 : f32
  %18 = shuffle_xor {2} %17 : f32
  %19 = add %17, %18 : f32
  %20 = shuffle_xor {4} %19 : f32
  %21 = add %19, %20 : f32
  %22 = constant {8} : i64
  %23 = mul %2, %22 : i64
  %24 = shuffle %21, %23 : f32
  %25 = constant {4} : i64
  %26 = lt %0, %25 : bool
  %27 = lt %2, %1 : bool
  %28 = and %26, %27 : bool
  %29 = addptr %Out, %2 : ptr<f32>
  store %29, %24, %28
  return
}
