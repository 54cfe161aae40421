// Quotients and remainders, in runs (index_runs), of what the interpreter refuses: a divisor of 0, and dividends
// that wrap; and of a divisor that no index reaches.
// devices: cpu
// run: X=new:i64[3,128] Out=new:i64[3,10] first=9 d=0 --out Out=out.npy
// run: X=new:i64[3,128] Out=new:i64[3,10] first=9223372036854775700 d=100 --out Out=out.npy
// run: X=new:i64[3,128] Out=new:i64[3,10] first=1 d=9223372036854775807 --out Out=out.npy
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
0 0 0 0 0 0 0 0 0 0
9 23 37 51 65 79 93 107 121 135
8 22 36 50 64 78 92 106 120 134
run 2
Out i64[3,10]
92233720368547757 92233720368547757 92233720368547757 92233720368547757 92233720368547757 92233720368547757 92233720368547757 92233720368547757 -92233720368547758 -92233720368547757
0 14 28 42 56 70 84 98 -4 -90
-981 -1083 -1169 -1155 -1141 -1127 -1113 -1099 75 989
run 3
Out i64[3,10]
0 0 0 0 0 0 0 0 0 0
1 15 29 43 57 71 85 99 113 127
0 -9223372036854775795 -9223372036854775781 -9223372036854775767 -9223372036854775753 -9223372036854775739 -9223372036854775725 -9223372036854775711 -9223372036854775697 -9223372036854775683
