// Old values of atomics go through threadgroup memory only where other threads need them: not those of a tile
// whose elements have one thread each, and not those of copies that nobody reads.
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int *restrict X, int *restrict Out)
{
    int i = arange(0, 64);
    store(Out + i, atomic_add(X + i, 1));
    atomic_max(X + 64 + arange(0, 4), 7);
}
---
func @k(%X: restrict ptr<i32>, %Out: restrict ptr<i32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = cast %0 : i32
  %2 = constant {2} : i64
  %3 = mul %0, %2 : i64
  %4 = constant {1} : i64
  %5 = add %3, %4 : i64
  %6 = constant {1} : i32
  %7 = addptr %X, %3 : ptr<i32>
  %8 = atomic_add %7, %6 : i32
  %9 = addptr %X, %5 : ptr<i32>
  %10 = atomic_add %9, %6 : i32
  %11 = pack %8, %10 : i32[2]
  %12 = addptr %Out, %3 : ptr<i32>
  vector_store {packed} %12, %11
  %13 = constant {64} : i64
  %14 = addptr %X, %13 : ptr<i32>
  %15 = constant {3} : i64
  %16 = and %0, %15 : i64
  %17 = constant {7} : i32
  barrier {device}
  %18 = constant {4} : i32
  %19 = lt %1, %18 : bool
  %20 = addptr %14, %16 : ptr<i32>
  %21 = atomic_max %20, %17, %19 : i32
  return
}
