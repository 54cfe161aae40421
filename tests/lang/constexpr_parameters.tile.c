// Values of constexpr parameters: any constant expression; they are indices.
// args: -D B=2*8 -D FLAG=true -D 'L=layout(1,0)'
kernel void k(float *Out, constexpr int B, constexpr bool FLAG, constexpr layout_t L)
{
    if (FLAG)
        store(Out + arange_in(L, 0, 4), B * B);
}
---
func @k(%Out: ptr<f32>) {
  %0 = arange {0 to 4 layout "layout" bits 1 0 xor 0 per_thread 1} : i64[4]
  %1 = broadcast %Out : ptr<f32>[4]
  %2 = addptr %1, %0 : ptr<f32>[4]
  %3 = constant {256.0} : f32[4]
  store %2, %3
  return
}
