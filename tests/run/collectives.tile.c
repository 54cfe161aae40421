// Reductions, scans and products of small integers, which are exact in every type.
// run: :scans A=@a.npy Out=new:i32[16] --grid 1 --out Out=out.npy
// run: :dots A=@a.npy Out=new:i32[16] --grid 1 --out Out=out.npy
// array a.npy i8[4]: 3 -1 127 2
static int latest(int a, int b)
{
    return where(b > 0, b, a);
}
kernel void scans(const int8_t *A, int *Out)
{
    int i = arange(0, 4);
    int8_t a = load(A + i);
    store(Out + i, cumsum(a));
    store(Out + 4 + i, cumsum(a, exclusive));
    store(Out + 8 + i, cummax(a) + 0);
    store(Out + 12 + i, scan(latest, a + 0));
}
kernel void dots(const int8_t *A, int *Out)
{
    auto a = view(A, 2, 2);
    int8_t x = tile_load(a, 0, 0, 2, 2);
    half h = x;
    store(Out + arange(0, 4), reshape(dot(x, x), 4));
    store(Out + 4 + arange(0, 4), reshape(dot(h, trans(h), 1), 4));
    store(Out + 8 + arange(0, 2), sum(x, axis(0)));
    store(Out + 10 + arange(0, 2), prod(x, axis(1)));
    store(Out + 12, argmax(x));
    store(Out + 13, max(argmin(x, axis(0))));
    store(Out + 14, any(x > 100) + all(x > -2));
    store(Out + 15, max(x) - min(x));
}
---
run 1
Out i32[16]
3 2 129 131 0 3 2 129 3 3 127 127 3 3 127 2
run 2
Out i32[16]
-118 -5 635 -123 11 380 380 16134 130 1 -3 254 2 0 2 128
