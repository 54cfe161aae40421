// Channels that are loaded before what stores between their loads may write (src/cpu/strided.c), and those that must
// not be: what is loaded behind a store to the same place is what that stored.
// run: X=rand:u8[400]:1 Y=rand:u8[400]:2 H=rand:i16[400]:3 G=rand:i16[400]:4 Out=new:i64[4] n=128 --out Out=out.npy
// run: X=rand:u8[400]:1 Y=rand:u8[400]:2 H=rand:i16[400]:3 G=rand:i16[400]:4 Out=new:i64[4] n=101 --out Out=out.npy
// run: X=rand:u8[400]:1 Y=rand:u8[400]:2 H=rand:i16[400]:3 G=rand:i16[400]:4 Out=new:i64[4] n=101 --cpu x86-64-v3 --out Out=out.npy
#include <tilec/kernel.h>
static long digest(long x, long i)
{
    return sum(x * (2 * i + 1));
}
launch_grid(k, 1);
kernel void k(uint8_t *restrict X, uint8_t *restrict Y, int16_t *restrict H, int16_t *restrict G, long *restrict Out, int n)
{
    int i = arange(0, 128), each = arange(0, 384);
    bool ok = i < n, in = each < 3 * n;
    uint8_t r = load(X + 3 * i, ok), g = load(X + 3 * i + 1, ok), b = load(X + 3 * i + 2, ok);
    store(Y + i, r, ok);
    store(X + 3 * i, b, ok);
    store(Y + n + i, load(X + 3 * i + 1, ok), ok);
    store(X + 3 * i + 1, load(X + 3 * i, ok), ok); // b
    store(Y + 2 * n + i, load(X + 3 * i + 2, ok) - g, ok);
    store(X + 3 * i + 2, load(X + 3 * i + 1, ok) + r, ok);
    store(Out, digest((long)load(X + each, in), (long)each));
    store(Out + 1, digest((long)load(Y + each, in), (long)each));
    short even = load(H + 2 * i, ok);
    store(H + 2 * i, load(H + 2 * i + 1, ok), ok);
    store(G + i, load(H + 2 * i, ok), ok); // the odd ones
    store(G + n + i, load(H + 2 * i + 1, ok) - even, ok);
    store(H + 2 * i + 1, load(G + i, ok), ok);
    store(Out + 2, digest((long)load(H + each, each < 2 * n), (long)each));
    store(Out + 3, digest((long)load(G + each, each < 2 * n), (long)each));
}
---
run 1
Out i64[4]
9261302 13078670 366436 181589
run 2
Out i64[4]
5394116 8622304 83832 -27502
run 3
Out i64[4]
5394116 8622304 83832 -27502
