// args: --stage gpu --target cuda --aligned all
// A loop's counter, and what grows by a constant, are multiples of 8: each thread loads 16 bytes at once.
#include <tilec/kernel.h>
launch_grid(k, 1);
require(k, threads = 32);
kernel void k(const half *restrict X, const half *restrict Y, half *restrict Out, int N)
{
    half a = zeros(half, 256);
    int j = 0;
    for (int i = 0; i < N; i += 256) {
        a = maximum(a, maximum(load(X + i + arange(0, 256)), load(Y + j + arange(0, 256))));
        j += 512;
    }
    store(Out + arange(0, 256), a);
}
---
func @k(%X: const restrict ptr<f16>, %Y: const restrict ptr<f16>, %Out: restrict ptr<f16>, %N: i32) {
  %N.1 = cast %N : i64
  %0 = constant {0.0} : f16[8]
  %j = constant {0} : i32
  %1 = constant {0} : i64
  %2 = constant {256} : i64
  %3 = thread_index {0 to 32} : i64
  %4 = constant {8} : i64
  %5 = mul %3, %4 : i64
  %a, %j.1 = for %i = %1 to %N.1 step %2 carry (%a.1 = %0, %j.2 = %j) : (f16[8], i32) {
    %6 = addptr %X, %i : ptr<f16>
    %7 = addptr %6, %5 : ptr<f16>
    %8 = vector_load {aligned} %7 : f16[8]
    %9 = cast %j.2 : i64
    %10 = addptr %Y, %9 : ptr<f16>
    %11 = addptr %10, %5 : ptr<f16>
    %12 = vector_load {aligned} %11 : f16[8]
    %13 = maximum %8, %12 : f16[8]
    %a.2 = maximum %a.1, %13 : f16[8]
    %14 = constant {512} : i32
    %j.3 = add %j.2, %14 : i32
    yield %a.2, %j.3
  }
  %15 = addptr %Out, %5 : ptr<f16>
  vector_store {aligned} %15, %a
  return
}
