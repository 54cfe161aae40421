// The greatest of three numbers and more, one after the other and in pairs: both zeros, NaN, equal ones, in all
// orders; more operands than are taken at once, some of them wanted elsewhere, too; and in a loop.
// run: X=@x.npy Three=new:f32[5,5,5] Four=new:f32[3,27] Many=new:f32[2,24] --out Three=three.npy --out Four=four.npy --out Many=many.npy
// run: X=@x.npy Three=new:f32[5,5,5] Four=new:f32[3,27] Many=new:f32[2,24] --out Three=three.npy --out Four=four.npy --out Many=many.npy --cpu x86-64-v3
// run: X=@x.npy Three=new:f32[5,5,5] Four=new:f32[3,27] Many=new:f32[2,24] --out Three=three.npy --out Four=four.npy --out Many=many.npy -D T=double
// array x.npy f32[40]: -0 0 nan -1 2 -0 -0 -3 -inf -0 0 -5 -0 -0 -0 -7 -0 -2 -0 -0 -0 -4 -0 -0 -0 -0 -0 -0 -0 -0 -6 -8 -9 inf -0 -0 -0 -0 -0 1
#include <tilec/kernel.h>
#ifndef T
#define T float
#endif
launch_grid(k, 1);
kernel void k(const float *restrict X, float *restrict Three, float *restrict Four, float *restrict Many)
{
    int i = arange(0, 128), j = arange(0, 128), m = arange(0, 32);
    bool in = i < 125, on = j < 81;
    T a = cast(T, load(X + i % 5, in)), b = cast(T, load(X + i / 5 % 5, in)), c = cast(T, load(X + i / 25, in));
    store(Three + i, cast(float, maximum(maximum(a, b), c)), in);
    T p = cast(T, load(X + j % 3, on)), q = cast(T, load(X + j / 3 % 3, on));
    T r = cast(T, load(X + j / 9 % 3, on)), s = cast(T, load(X + j / 27, on));
    store(Four + j, cast(float, maximum(maximum(p, q), maximum(r, s))), on);

    bool ok = m < 24;
    T most = -8, first = cast(T, load(X + m, ok));
    for (int n = 0; n < 11; n++)
        most = maximum(most, cast(T, load(X + m + n + 5, ok)));
    store(Many + m, cast(float, most), ok);
    T of_two = maximum(first, cast(T, load(X + m + 1, ok)));
    T of_three = maximum(of_two, cast(T, load(X + m + 2, ok)));
    T of_four = maximum(cast(T, load(X + m + 3, ok)), of_three);
    store(Many + 24 + m, cast(float, maximum(of_four, of_two) + 2 * of_three), ok);
}
---
run 1
Three f32[5,5,5]
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -0 2
2 2 nan 2 2
0 0 nan 0 2
0 0 nan 0 2
nan nan nan nan nan
0 0 nan 0 2
2 2 nan 2 2
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -1 2
2 2 nan 2 2
2 2 nan 2 2
2 2 nan 2 2
nan nan nan nan nan
2 2 nan 2 2
2 2 nan 2 2
Four f32[3,27]
-0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
Many f32[2,24]
0 0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 inf inf inf inf inf inf
nan nan nan 6 6 -0 -0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0
run 2
Three f32[5,5,5]
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -0 2
2 2 nan 2 2
0 0 nan 0 2
0 0 nan 0 2
nan nan nan nan nan
0 0 nan 0 2
2 2 nan 2 2
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -1 2
2 2 nan 2 2
2 2 nan 2 2
2 2 nan 2 2
nan nan nan nan nan
2 2 nan 2 2
2 2 nan 2 2
Four f32[3,27]
-0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
Many f32[2,24]
0 0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 inf inf inf inf inf inf
nan nan nan 6 6 -0 -0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0
run 3
Three f32[5,5,5]
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -0 2
2 2 nan 2 2
0 0 nan 0 2
0 0 nan 0 2
nan nan nan nan nan
0 0 nan 0 2
2 2 nan 2 2
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
nan nan nan nan nan
-0 0 nan -0 2
0 0 nan 0 2
nan nan nan nan nan
-0 0 nan -1 2
2 2 nan 2 2
2 2 nan 2 2
2 2 nan 2 2
nan nan nan nan nan
2 2 nan 2 2
2 2 nan 2 2
Four f32[3,27]
-0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
0 0 nan 0 0 nan nan nan nan 0 0 nan 0 0 nan nan nan nan nan nan nan nan nan nan nan nan nan
nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan nan
Many f32[2,24]
0 0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 inf inf inf inf inf inf
nan nan nan 6 6 -0 -0 0 0 0 0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0 -0
