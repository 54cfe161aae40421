// Pairs in a line and as an axis: split, joined, stored in place and elsewhere, with odd bounds, beside
// stores to the same memory.
// run: X=@x.npy Out=new:f32[8,16] n=11 --out X=x.npy.out --out Out=out.npy
// run: X=@x.npy Out=new:f32[8,16] n=16 --out X=x.npy.out --out Out=out.npy
// array x.npy f32[40]: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(float *X, float *Out, int n)
{
    int i = arange(0, 16), p = arange(0, 8);
    float x = reshape(load(X + i, i < n, -1), 8, 2);
    float a = split(x, 0), b = split(x, 1);
    store(Out + i, reshape(join(b, a), 16), i < n);
    int k = expand_dims(p, 1) * 2 + expand_dims(arange(0, 2), 0);
    store(Out + 16 + k, join(a + b, a - b), k < n);
    store(X + i, reshape(join(a * 10, b), 16), i < n);      /* in place */
    store(Out + 32 + i, load(X + i) + reshape(join(b, a), 16));
    store(Out + 48 + i, reshape(join(a, load(X + 20 + p)), 16) * 2 + load(X + 20 + i));
    float y = reshape(join(a, b), 16);
    store(Out + 64 + i, cumsum(y));
    int p4 = arange(0, 4);
    float z = reshape(load(X + 24 + i), 4, 2, 2); /* fours */
    auto even = split(z, 0), odd = split(z, 1);
    store(Out + 96 + i, reshape(join(join(split(odd, 1), split(odd, 0)), even), 16), i < n);
    store(Out + 112 + p4, split(even, 1) * 100 + split(odd, 0));
    store(Out + 80 + k, load(X + 20 + 16 - 1 - k) + reshape(y, 8, 2));
}
---
run 1
X f32[40]
0 1 20 3 40 5 60 7 80 9 100 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
Out f32[8,16]
1 0 3 2 5 4 7 6 9 8 -1 nan nan nan nan nan
1 -1 5 -1 9 -1 13 -1 17 -1 9 nan nan nan nan nan
1 1 23 5 45 9 67 13 89 17 99 21 11 12 13 14
20 61 26 65 32 69 38 73 44 77 50 81 30 85 32 89
0 1 3 6 10 15 21 28 36 45 55 54 53 52 51 50
35 35 35 35 35 35 35 35 35 35 35 23 22 21 20 19
27 24 25 26 31 28 29 30 35 32 33 nan nan nan nan nan
2625 3029 3433 3837 nan nan nan nan nan nan nan nan nan nan nan nan
run 2
X f32[40]
0 1 20 3 40 5 60 7 80 9 100 11 120 13 140 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
Out f32[8,16]
1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14
1 -1 5 -1 9 -1 13 -1 17 -1 21 -1 25 -1 29 -1
1 1 23 5 45 9 67 13 89 17 111 21 133 25 155 29
20 61 26 65 32 69 38 73 44 77 50 81 56 85 62 89
0 1 3 6 10 15 21 28 36 45 55 66 78 91 105 120
35 35 35 35 35 35 35 35 35 35 35 35 35 35 35 35
27 24 25 26 31 28 29 30 35 32 33 34 39 36 37 38
2625 3029 3433 3837 nan nan nan nan nan nan nan nan nan nan nan nan
