// Trips that are further apart than 64 bits count: each has elements of its own, and no barrier stands.
#include <tilec/kernel.h>
launch_grid(far, 1);
kernel void far(float *X, int64_t n)
{
    for (int64_t i = 0; i < n; i += 1ll << 30) {
        int64_t k = i * (1ll << 38) + arange(0, 64);
        store(X + k, load(X + k) + 1.0f);
    }
}
---
func @far(%X: ptr<f32>, %n: i64) {
  %0 = constant {0} : i64
  %1 = constant {1073741824} : i64
  %2 = thread_index {0 to 32} : i64
  %3 = constant {2} : i64
  %4 = mul %2, %3 : i64
  for %i = %0 to %n step %1 {
    %5 = constant {274877906944} : i64
    %6 = mul %i, %5 : i64
    %7 = add %6, %4 : i64
    %8 = addptr %X, %7 : ptr<f32>
    %9 = vector_load {packed} %8 : f32[2]
    %10 = constant {1.0} : f32[2]
    %11 = add %9, %10 : f32[2]
    vector_store {packed} %8, %11
    yield
  }
  return
}
