// args: --off unroll_short_loops
kernel void k(float *Out)
{
    int i = arange(0, 8);
    float x = i;
    for (int a = 0; a < 3; a++)
        x = x * x + a;
    store(Out + i, x);
}
---
func @k(%Out: ptr<f32>) {
  %i = arange {0 to 8} : i64[8]
  %x = cast %i : f32[8]
  %0 = constant {0} : i64
  %1 = constant {3} : i64
  %2 = constant {1} : i64
  %x.1 = for %a = %0 to %1 step %2 carry (%x.2 = %x) : f32[8] {
    %3 = cast %a : f32
    %4 = broadcast %3 : f32[8]
    %x.3 = fma %x.2, %x.2, %4 : f32[8]
    yield %x.3
  }
  %5 = broadcast %Out : ptr<f32>[8]
  %6 = addptr %5, %i : ptr<f32>[8]
  store %6, %x.1
  return
}
