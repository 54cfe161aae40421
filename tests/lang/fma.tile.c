// The leftmost operand that is itself a product fuses; nothing else does.
kernel void k(float *Out, float a, float b, float c, float d)
{
    float r = a * b + c;
    r = a * b + c * d;
    r = a - b * c;
    r = a * b - c;
    r = (a * b) + c;
    r += a * b;
    r -= a * b;
    r = a + b * c + d;
    r = a * b * c + d;
    store(Out, r);
}
---
func @k(%Out: ptr<f32>, %a: f32, %b: f32, %c: f32, %d: f32) {
  %r = fma %a, %b, %c : f32
  %0 = mul %c, %d : f32
  %r.1 = fma %a, %b, %0 : f32
  %1 = neg %b : f32
  %r.2 = fma %1, %c, %a : f32
  %2 = neg %c : f32
  %r.3 = fma %a, %b, %2 : f32
  %r.4 = fma %a, %b, %c : f32
  %r.5 = fma %a, %b, %r.4 : f32
  %3 = neg %a : f32
  %r.6 = fma %3, %b, %r.5 : f32
  %4 = fma %b, %c, %a : f32
  %r.7 = add %4, %d : f32
  %5 = mul %a, %b : f32
  %r.8 = fma %5, %c, %d : f32
  store %Out, %r.8
  return
}
