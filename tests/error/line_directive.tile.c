#line 7 "kernel.c"
kernel void k(float *X)
{
    store(X, 0);
}
---
line_directive.tile.c:1:2: error: '#line' is not supported in kernels
#line 7 "kernel.c"
 ^~~~
hint: messages name the lines of this file
