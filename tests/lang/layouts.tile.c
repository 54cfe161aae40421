// Explicit layouts.
constexpr layout_t BLOCKED = layout(2, 3, 0, 1, .per_thread = 4);
kernel void k(float *Out)
{
    layout_t striped = layout(0, 1, 2, 3, .xor_mask = 5);
    int i = arange_in(BLOCKED, 0, 16);
    store(Out + i, convert_layout(i * 2.0f, striped));
}
---
func @k(%Out: ptr<f32>) {
  %i = arange {0 to 16 layout "layout" bits 2 3 0 1 xor 0 per_thread 4} : i64[16]
  %0 = broadcast %Out : ptr<f32>[16]
  %1 = addptr %0, %i : ptr<f32>[16]
  %2 = cast %i : f32[16]
  %3 = constant {2.0} : f32[16]
  %4 = mul %2, %3 : f32[16]
  %5 = convert_layout {layout "layout" bits 0 1 2 3 xor 5 per_thread 1} %4 : f32[16]
  store %1, %5
  return
}
