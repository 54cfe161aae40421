// Tiles that take turns in loops whose trips are not known, or too many to be unrolled whole: no trip,
// one, as many as are made at a time, and some left over; bounds below the first value and near the
// end of the integers.
// run: Out=new:i32[3,5] n=0 last=-9223372036854775808 --out Out=out.npy
// run: Out=new:i32[3,5] n=1 last=9223372036854775806 --out Out=out.npy
// run: Out=new:i32[3,5] n=8 last=9223372036854775807 --out Out=out.npy
// run: Out=new:i32[3,5] n=21 last=9223372036854775807 --out Out=out.npy
// run: Out=new:i32[3,5] n=-3 last=9223372036854775807 --out Out=out.npy
launch_grid(k, 1);
kernel void k(int *Out, int n, int64_t last)
{
    int i = arange(0, 5);
    int a = i, b = 1;
    for (int t = 0; t < n; t++) {
        int next = (a + b * t) & 0xffff;
        a = b;
        b = next;
    }
    store(Out + i, b);
    int c = i, d = 2, e = 3;
    for (int t = -7; t < 700; t += 3) {
        int next = (c * 3 + d + t) & 0xffff;
        c = d;
        d = e;
        e = next;
    }
    store(Out + 5 + i, c + d + e);
    int f = i;
    for (int64_t t = 9223372036854775801; t < last; t += 2)
        f = (f * 5 + (int)(t & 7)) & 0xffff;
    store(Out + 10 + i, f);
}
---
run 1
Out i32[3,5]
1 1 1 1 1
31065 116004 69871 154810 108677
0 1 2 3 4
run 2
Out i32[3,5]
0 1 2 3 4
31065 116004 69871 154810 108677
45 170 295 420 545
run 3
Out i32[3,5]
6961 16937 26913 36889 46865
31065 116004 69871 154810 108677
45 170 295 420 545
run 4
Out i32[3,5]
65270 61233 57196 53159 49122
31065 116004 69871 154810 108677
45 170 295 420 545
run 5
Out i32[3,5]
1 1 1 1 1
31065 116004 69871 154810 108677
45 170 295 420 545
