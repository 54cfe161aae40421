// args: --stage gpu --target cuda
// A gather at i ^ distance is a conversion: registers change their names, lanes shuffle, groups exchange.
#include <tilec/kernel.h>
launch_grid(k, 1);
require(k, threads = 64);
kernel void k(const int *X, int *Out)
{
    int i = arange(0, 128), x = load(X + i);
    x = x + gather(x, i ^ 64);
    x = x * gather(x, i ^ 3);
    x = maximum(x, gather(x, i ^ 32));
    store(Out + i, x);
}
---
func @k(%X: const ptr<i32>, %Out: ptr<i32>) {
  %exchange_i32 = shared {"exchange_i32" 128 padding 0} : ptr<i32, threadgroup>
  %0 = thread_index {0 to 64} : i64
  %1 = cast %0 : i32
  %2 = constant {64} : i64
  %3 = add %0, %2 : i64
  %4 = addptr %X, %0 : ptr<i32>
  %5 = load %4 : i32
  %6 = addptr %X, %3 : ptr<i32>
  %7 = load %6 : i32
  %x = add %5, %7 : i32
  %8 = constant {31} : i64
  %9 = and %0, %8 : i64
  %10 = constant {3} : i64
  %11 = xor %9, %10 : i64
  %12 = shuffle %x, %11 : i32
  %x.1 = mul %x, %12 : i32
  %13 = constant {32} : i32
  %14 = xor %1, %13 : i32
  %15 = constant {96} : i32
  %16 = xor %1, %15 : i32
  %17 = cast %1 : i64
  %18 = addptr %exchange_i32, %17 : ptr<i32, threadgroup>
  store %18, %x.1
  %19 = addptr %18, %2 : ptr<i32, threadgroup>
  store %19, %x.1
  barrier {threadgroup}
  %20 = cast %14 : i64
  %21 = addptr %exchange_i32, %20 : ptr<i32, threadgroup>
  %22 = load %21 : i32
  %23 = cast %16 : i64
  %24 = addptr %exchange_i32, %23 : ptr<i32, threadgroup>
  %25 = load %24 : i32
  %x.2 = maximum %x.1, %22 : i32
  %x.3 = maximum %x.1, %25 : i32
  barrier {device}
  %26 = addptr %Out, %0 : ptr<i32>
  store %26, %x.2
  %27 = addptr %Out, %3 : ptr<i32>
  store %27, %x.3
  return
}
