kernel void other(float *Out)
{
    store(Out, 1);
}
kernel void k(float *Out)
{
    other(Out);
}
---
func @other(%Out: ptr<f32>) {
  %0 = constant {1.0} : f32
  store %Out, %0
  return
}
call_kernel.tile.c:7:5: error: 'other' is a kernel, which only a launch can call
    other(Out);
    ^~~~~~~~~~
hint: put what both need into a static helper
