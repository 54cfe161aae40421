// Bits of indices and of what all lanes share (src/cpu/nest_runs.c): i ^ j, i | j and i & j by runs where j's lowest
// bit is far up, and lane by lane where not; of int and long, from starts at no multiple, behind a length, beside
// quotients, in sums; indices that their type does not hold, and j of 0 or below. A hash of each row is shown.
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=250 first=0 j=64 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=250 first=7 j=96 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=260 first=40 j=128 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=260 first=0 j=0 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=100 first=3 j=5 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=260 first=-30 j=-64 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=200 first=11 j=256 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=260 first=0 j=-2147483648 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=250 first=7 j=96 --cpu x86-64-v3 --out Out=out.npy
// run: :bits X=@x.npy W=@zeros.npy Out=@none.npy n=250 first=7 j=96 --cpu generic --out Out=out.npy
// run: :wide X=@x.npy W=@zeros.npy Out=new:u32[4] first=9 j=64 --out Out=out.npy
// run: :wide X=@x.npy W=@zeros.npy Out=new:u32[4] first=2147483570 j=64 --out Out=out.npy
// run: :wide X=@x.npy W=@zeros.npy Out=new:u32[4] first=-2147483700 j=192 --out Out=out.npy
// run: :wide X=@x.npy W=@zeros.npy Out=new:u32[4] first=4611686018427387850 j=128 --out Out=out.npy
// run: :wide X=@x.npy W=@zeros.npy Out=new:u32[4] first=9223372036854775600 j=4611686018427387904 --out Out=out.npy
// array x.npy i32[400]: 3 1 4 1 5 9 2 6 5 35 8 97 93 23 84 62 64 33 83 27 95 2 88 41 97 16 93 99 37 51
// array zeros.npy u32[2080]: 0
// array none.npy u32[8]: 0
#include <tilec/kernel.h>
launch_grid(bits, 2);
kernel void bits(const int *restrict X, uint32_t *restrict W, uint32_t *restrict Out, int n, int first, int j)
{
    int i = program_id(0) * 130 + arange(0, 130), at = first + i;
    bool ok = i < n;
    int other = at ^ j, both = at | j, common = at & j;
    store(W + i, load(X + other, ok && other >= 0 && other < 400, -1), ok);
    store(W + 260 + i, load(X + both, ok && both >= 0 && both < 400, -2), ok);
    store(W + 520 + i, load(X + common, ok && common >= 0 && common < 400, -3), ok);
    store(W + 780 + i, other, ok);
    store(W + 1040 + i, both ^ common, ok && (at & j) == 0);
    store(W + 1300 + i, where((at & j) == 0, i, -i) + at % 70, other > at && i < n);
    store(W + 1560 + i, (at ^ j ^ j) - (at ^ (at / 100)), ok);
    store(W + 1820 + i, sum(where(other < at, i, load(X + i))), i % 64 == 0);
    for (int row = 0; row < 8; row++)
        atomic_add(Out + row, sum(load(W + row * 260 + i) * (uint32_t)(i * i + 1)));
}
launch_grid(wide, 1);
kernel void wide(const int *restrict X, uint32_t *restrict W, uint32_t *restrict Out, int64_t first, int64_t j)
{
    int i = arange(0, 130);
    int64_t at = first + i, other = at ^ j;
    store(W + i, other >> 3);
    store(W + 130 + i, where(other > at, at & j, at | j) >> 3);
    store(W + 260 + i, (int)at ^ (int)j);
    store(W + 390 + i, load(X + 10 + (other - at) % 100, (at & j) == 0 && other > at), (at & j) == 0 && other > at);
    for (int row = 0; row < 4; row++)
        Out[row] = sum(load(W + row * 130 + i) * (uint32_t)(i * i + 1));
}
---
run 1
Out u32[8]
219282637 210990899 22415899 859587214 385292224 332412324 4294778144 1933556675
run 2
Out u32[8]
215203204 223541666 17334173 853034695 166625607 4291456309 4294906934 1899639531
run 3
Out u32[8]
153834403 158209357 23701046 1315462522 1064851898 701905354 94750 1881473905
run 4
Out u32[8]
244926079 244926079 17475510 1133702570 1133702570 0 70030 681539601
run 5
Out u32[8]
13175521 12584264 1486330 25456982 6377216 4263067 4294957689 1734133802
run 6
Out u32[8]
4289490266 4283316956 222352490 3310637838 4289074656 4294709746 4294745224 2777964932
run 7
Out u32[8]
27857213 25985836 7940700 1102752200 1102752200 502030230 4294910480 1004003499
run 8
Out u32[8]
4289142126 4283316956 17475510 1133702570 1133702570 0 70030 2760984525
run 9
Out u32[8]
215203204 223541666 17334173 853034695 166625607 4291456309 4294906934 1899639531
run 10
Out u32[8]
215203204 223541666 17334173 853034695 166625607 4291456309 4294906934 1899639531
run 11
Out u32[4]
7072139 6223856 59072861 18754428
run 12
Out u32[4]
810047482 4294517104 2187900568 47849340
run 13
Out u32[4]
3505252787 1612197382 2274741094 43535904
run 14
Out u32[4]
13540923 4294854337 110815392 3364710
run 15
Out u32[4]
4284616898 4284616898 4214684626 0
