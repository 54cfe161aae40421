// A loop that can be left makes as many turns as one that cannot, up to the end of the 64-bit
// integers: the step behind the last turn does not wrap.
// run: :k Out=new:i32[8] hi=9223372036854775807 s=4611686018427387904 --grid 1 --out Out=out.npy
// run: :k Out=new:i32[8] hi=9223372036854775807 s=9223372036854775807 --grid 1 --out Out=out.npy
// run: :k Out=new:i32[8] hi=-9223372036854775807 s=9223372036854775807 --grid 1 --out Out=out.npy
// run: :k Out=new:i32[8] hi=20 s=3 --grid 1 --out Out=out.npy
static int turns(int64_t hi, int64_t s)
{
    int n = 0;
    for (int64_t i = 0; i < hi; i += s) {
        n++;
        if (n > 20)
            return -1;
    }
    return n;
}
kernel void k(int *Out, int64_t hi, int64_t s)
{
    int n = 0, m = 0, p = 0, q = 0, t = 0, u = 0;
    for (int64_t i = 0; i < hi; i += s)
        n++;
    for (int64_t i = 0; i < hi; i += s) {
        m++;
        if (m > 20)
            break;
    }
    for (int64_t i = -9223372036854775807; i < hi; i += 4611686018427387904)
        p++;
    for (int64_t i = -9223372036854775807; i < hi; i += 4611686018427387904) {
        q++;
        if (q > 20)
            break;
    }
    for (int64_t i = 4611686018427387904; i > 0; i -= 4611686018427387903)
        t++;
    for (int64_t i = 4611686018427387904; i > 0; i -= 4611686018427387903) {
        u++;
        if (u > 20)
            break;
    }
    store(Out, n);
    store(Out + 1, m);
    store(Out + 2, p);
    store(Out + 3, q);
    store(Out + 4, t);
    store(Out + 5, u);
    store(Out + 6, turns(hi, s));
    store(Out + 7, 0);
}
---
run 1
Out i32[8]
2 2 4 4 2 2 2 0
run 2
Out i32[8]
1 1 4 4 2 2 1 0
run 3
Out i32[8]
0 0 0 0 2 2 0 0
run 4
Out i32[8]
7 7 3 3 2 2 7 0
