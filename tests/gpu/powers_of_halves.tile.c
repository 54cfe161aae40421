// args: --require threads=32
// A power of two that only becomes a half needs no way around subnormal floats, which are 0 then; one
// that is also taken as a float, or becomes a bfloat, whose numbers go as far down, does.
#include <tilec/kernel.h>
launch_grid(powers, 1);
kernel void powers(const float *restrict X, half *restrict H, bfloat *restrict B, float *restrict F)
{
    int i = arange(0, 32);
    float x = load(X + i);
    store(H + i, (half)exp2(x));
    float both = exp2(x + 1.0f);
    store(H + 32 + i, (half)both);
    store(F + i, both);
    store(B + i, (bfloat)exp2(x + 2.0f));
}
---
func @powers(%X: const restrict ptr<f32>, %H: restrict ptr<f16>, %B: restrict ptr<bf16>, %F: restrict ptr<f32>) {
  %0 = thread_index {0 to 32} : i64
  %1 = addptr %X, %0 : ptr<f32>
  %2 = load %1 : f32
  %3 = exp2_flushed %2 : f32
  %4 = cast %3 : f16
  %5 = addptr %H, %0 : ptr<f16>
  store %5, %4
  %6 = constant {1.0} : f32
  %7 = add %2, %6 : f32
  %both = exp2 %7 : f32
  %8 = constant {32} : i64
  %9 = addptr %H, %8 : ptr<f16>
  %10 = cast %both : f16
  barrier {device}
  %11 = addptr %9, %0 : ptr<f16>
  store %11, %10
  %12 = addptr %F, %0 : ptr<f32>
  store %12, %both
  %13 = constant {2.0} : f32
  %14 = add %2, %13 : f32
  %15 = exp2 %14 : f32
  %16 = cast %15 : bf16
  %17 = addptr %B, %0 : ptr<bf16>
  store %17, %16
  return
}
