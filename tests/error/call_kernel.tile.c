kernel void k(float *Out)
{
    other(Out);
}
kernel void other(float *Out)
{
    store(Out, 1);
}
---
call_kernel.tile.c:3:5: error: 'other' is a kernel, which only a launch can call
    other(Out);
    ^~~~~~~~~~
hint: put what both need into a static helper
