// NaNs of bfloats stay NaNs whatever they are chosen from, beside scalars and other floats with bits in their
// lower half, on every level (src/cpu/nans.c).
// run: X=@x.npy Y=@y.npy Out=new:bf16[8,32] s=3.1415927 --out Out=out.npy
// run: X=@x.npy Y=@y.npy Out=new:bf16[8,32] s=3.1415927 --cpu x86-64-v3 --out Out=out.npy
// run: X=@x.npy Y=@y.npy Out=new:bf16[8,32] s=3.1415927 --cpu generic --out Out=out.npy
// array x.npy bf16[32]: nan 1 inf -inf nan 3 -1 0 nan -2 5 7 9 nan 2 -7 1 2 nan 4 5 -nan 7 8 -inf 10 inf -12 nan 14 15 nan
// array y.npy f32[32]: 1.1 nan 2.2 -3.3 nan 0.1 0.2 0.3 -0.7 inf -inf 7.7 8.8 9.9 nan 1.7 2.3 3.1 4.7 5.3 6.1 7.9 nan 8.3 9.1 10.7 -11.1 12.3 -13.7 14.9 nan 15.1
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const bfloat *restrict X, const float *restrict Y, bfloat *restrict Out, float s)
{
    int i = arange(0, 32);
    float x = load(X + i), y = load(Y + i), r = rsqrt(s);
    store(Out + i, maximum(x, r));
    store(Out + 32 + i, sqrt(abs(minimum(x, s))));
    store(Out + 64 + i, sqrt(abs(maximum(x, s + x))));
    store(Out + 96 + i, minimum(x, x * s));
    store(Out + 128 + i, sqrt(abs(maximum(maximum(x, x * s), x + s))));
    store(Out + 160 + i, maximum(x, y));
    float rows = reshape(x, 4, 8);
    float most = max(rows, axis(0), keep), least = min(rows * s, axis(0), keep);
    int j = expand_dims(arange(0, 4) * 8, 1) + expand_dims(arange(0, 8), 0);
    store(Out + 192 + j, sqrt(abs(rows - rows + broadcast_to(most, 4, 8))));
    store(Out + 224 + j, abs(broadcast_to(least, 4, 8)));
}
---
run 1
Out bf16[8,32]
nan 1 inf 0.5625 nan 3 0.5625 0.5625 nan 0.5625 5 7 9 nan 2 0.5625 1 2 nan 4 5 nan 7 8 0.5625 10 inf 0.5625 nan 14 15 nan
nan 1 1.773 inf nan 1.734 1 0 nan 1.414 1.773 1.773 1.773 nan 1.414 2.641 1 1.414 nan 1.773 1.773 nan 1.773 1.773 inf 1.773 1.773 3.469 nan 1.773 1.773 nan
nan 2.031 inf inf nan 2.484 1.461 1.773 nan 1.07 2.859 3.188 3.484 nan 2.266 1.961 2.031 2.266 nan 2.672 2.859 nan 3.188 3.344 inf 3.625 inf 2.969 nan 4.125 4.25 nan
nan 1 inf -inf nan 3 -3.141 0 nan -6.281 5 7 9 nan 2 -22 1 2 nan 4 5 nan 7 8 -inf 10 inf -37.75 nan 14 15 nan
nan 2.031 inf inf nan 3.062 1.461 1.773 nan 1.07 3.969 4.688 5.312 nan 2.5 1.961 2.031 2.5 nan 3.547 3.969 nan 4.688 5 inf 5.594 inf 2.969 nan 6.625 6.875 nan
nan nan inf -3.297 nan 3 0.2002 0.3008 nan inf 5 7.688 9 nan nan 1.703 2.297 3.094 nan 5.312 6.094 nan nan 8.312 9.125 10.69 inf 12.31 nan 14.88 nan nan
nan 3.156 nan nan nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan
nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan
run 2
Out bf16[8,32]
nan 1 inf 0.5625 nan 3 0.5625 0.5625 nan 0.5625 5 7 9 nan 2 0.5625 1 2 nan 4 5 nan 7 8 0.5625 10 inf 0.5625 nan 14 15 nan
nan 1 1.773 inf nan 1.734 1 0 nan 1.414 1.773 1.773 1.773 nan 1.414 2.641 1 1.414 nan 1.773 1.773 nan 1.773 1.773 inf 1.773 1.773 3.469 nan 1.773 1.773 nan
nan 2.031 inf inf nan 2.484 1.461 1.773 nan 1.07 2.859 3.188 3.484 nan 2.266 1.961 2.031 2.266 nan 2.672 2.859 nan 3.188 3.344 inf 3.625 inf 2.969 nan 4.125 4.25 nan
nan 1 inf -inf nan 3 -3.141 0 nan -6.281 5 7 9 nan 2 -22 1 2 nan 4 5 nan 7 8 -inf 10 inf -37.75 nan 14 15 nan
nan 2.031 inf inf nan 3.062 1.461 1.773 nan 1.07 3.969 4.688 5.312 nan 2.5 1.961 2.031 2.5 nan 3.547 3.969 nan 4.688 5 inf 5.594 inf 2.969 nan 6.625 6.875 nan
nan nan inf -3.297 nan 3 0.2002 0.3008 nan inf 5 7.688 9 nan nan 1.703 2.297 3.094 nan 5.312 6.094 nan nan 8.312 9.125 10.69 inf 12.31 nan 14.88 nan nan
nan 3.156 nan nan nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan
nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan
run 3
Out bf16[8,32]
nan 1 inf 0.5625 nan 3 0.5625 0.5625 nan 0.5625 5 7 9 nan 2 0.5625 1 2 nan 4 5 nan 7 8 0.5625 10 inf 0.5625 nan 14 15 nan
nan 1 1.773 inf nan 1.734 1 0 nan 1.414 1.773 1.773 1.773 nan 1.414 2.641 1 1.414 nan 1.773 1.773 nan 1.773 1.773 inf 1.773 1.773 3.469 nan 1.773 1.773 nan
nan 2.031 inf inf nan 2.484 1.461 1.773 nan 1.07 2.859 3.188 3.484 nan 2.266 1.961 2.031 2.266 nan 2.672 2.859 nan 3.188 3.344 inf 3.625 inf 2.969 nan 4.125 4.25 nan
nan 1 inf -inf nan 3 -3.141 0 nan -6.281 5 7 9 nan 2 -22 1 2 nan 4 5 nan 7 8 -inf 10 inf -37.75 nan 14 15 nan
nan 2.031 inf inf nan 3.062 1.461 1.773 nan 1.07 3.969 4.688 5.312 nan 2.5 1.961 2.031 2.5 nan 3.547 3.969 nan 4.688 5 inf 5.594 inf 2.969 nan 6.625 6.875 nan
nan nan inf -3.297 nan 3 0.2002 0.3008 nan inf 5 7.688 9 nan nan 1.703 2.297 3.094 nan 5.312 6.094 nan nan 8.312 9.125 10.69 inf 12.31 nan 14.88 nan nan
nan 3.156 nan nan nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan nan 3.156 nan 2.641 nan nan 3.875 nan
nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan nan 6.281 nan inf nan nan 3.141 nan
