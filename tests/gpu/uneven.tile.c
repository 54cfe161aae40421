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
  %1 = cast %0 : i32
  %2 = constant {3} : i64
  %3 = constant {3} : i32
  %4 = and %0, %2 : i64
  %5 = and %1, %3 : i32
  %6 = shr %0, %2 : i64
  %7 = shr %1, %3 : i32
  %8 = constant {5} : i64
  %9 = constant {5} : i32
  %10 = mul %6, %8 : i64
  %11 = constant {7} : i64
  %12 = constant {7} : i32
  %13 = and %0, %11 : i64
  %14 = and %1, %12 : i32
  %i = add %10, %13 : i64
  %15 = lt %7, %3 : bool
  %16 = lt %14, %9 : bool
  %17 = and %15, %16 : bool
  %18 = constant {0.0} : f32
  %19 = addptr %X, %i : ptr<f32>
  %20 = load %19, %17, %18 : f32
  %21 = constant {-0.0} : f32
  %22 = select %16, %20, %21 : f32
  %23 = shuffle_xor {1} %22 : f32
  %24 = add %22, %23 : f32
  %25 = shuffle_xor {2} %24 : f32
  %26 = add %24, %25 : f32
  %27 = shuffle_xor {4} %26 : f32
  %28 = add %26, %27 : f32
  %29 = constant {8} : i64
  %30 = mul %4, %29 : i64
  %31 = shuffle %28, %30 : f32
  %32 = constant {4} : i32
  %33 = lt %1, %32 : bool
  %34 = lt %5, %3 : bool
  %35 = and %33, %34 : bool
  %36 = addptr %Out, %4 : ptr<f32>
  store %36, %31, %35
  return
}
