// Quotients and remainders of indices that grow by one: in runs, across their ends, of dividends that
// begin below zero, and by divisors that are small or negative.
// run: X=new:i64[3,128] Out=new:i64[3,10] first=0 d=50 --out Out=out.npy
// run: X=new:i64[3,128] Out=new:i64[3,10] first=-70 d=64 --out Out=out.npy
// run: X=new:i64[3,128] Out=new:i64[3,10] first=0 d=7 --out Out=out.npy
// run: X=new:i64[3,128] Out=new:i64[3,10] first=9 d=-64 --out Out=out.npy
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int64_t *X, int64_t *Out, int64_t first, int64_t d)
{
    int i = arange(0, 128);
    int64_t n = first + i;
    store(X + i, n / d);
    store(X + 128 + i, n % d);
    store(X + 256 + i, load(X + i) * 1000 + (n + d - 1) % d);
    int shown = 14 * arange(0, 10);
    store(Out + arange(0, 10), load(X + shown));
    store(Out + 10 + arange(0, 10), load(X + 128 + shown));
    store(Out + 20 + arange(0, 10), load(X + 256 + shown));
}
---
run 1
Out i64[3,10]
0 0 0 0 1 1 1 1 2 2
0 14 28 42 6 20 34 48 12 26
49 13 27 41 1005 1019 1033 1047 2011 2025
run 2
Out i64[3,10]
-1 0 0 0 0 0 0 0 0 0
-6 -56 -42 -28 -14 0 14 28 42 56
-1007 7 21 35 49 63 13 27 41 55
run 3
Out i64[3,10]
0 2 4 6 8 10 12 14 16 18
0 0 0 0 0 0 0 0 0 0
6 2006 4006 6006 8006 10006 12006 14006 16006 18006
run 4
Out i64[3,10]
0 0 0 0 -1 -1 -1 -1 -1 -2
9 23 37 51 1 15 29 43 57 7
-56 -42 -28 -14 -1000 -986 -972 -958 -944 -1994
