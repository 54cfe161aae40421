// Each element is stored by one thread and loaded by another: a barrier stands between.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(float *X)
{
    int i = arange(0, 64);
    store(X + i, load(X + i) + 1.0f);
    store(X + 63 - i, load(X + 63 - i) * 2.0f);
}
---
func @k(%X: ptr<f32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = constant {2} : i64
  %2 = mul %0, %1 : i64
  %3 = constant {1} : i64
  %4 = add %2, %3 : i64
  %5 = addptr %X, %2 : ptr<f32>
  %6 = vector_load {packed} %5 : f32[2]
  %7 = constant {1.0} : f32[2]
  %8 = add %6, %7 : f32[2]
  vector_store {packed} %5, %8
  %9 = constant {63} : i64
  %10 = addptr %X, %9 : ptr<f32>
  %11 = neg %2 : i64
  %12 = neg %4 : i64
  barrier {device}
  %13 = addptr %10, %11 : ptr<f32>
  %14 = load %13 : f32
  %15 = addptr %10, %12 : ptr<f32>
  %16 = load %15 : f32
  %17 = pack %14, %16 : f32[2]
  %18 = constant {2.0} : f32[2]
  %19 = mul %17, %18 : f32[2]
  %20 = extract {0} %19 : f32
  store %13, %20
  %21 = extract {1} %19 : f32
  store %15, %21
  return
}
