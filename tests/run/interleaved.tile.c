// Elements beside each other, loaded apart and stored together (src/cpu/strided.c): pairs of each sizes, threes and
// fours, with ends within a vector, swapped, and with other things in the same nest.
// run: X=rand:f32[700]:1 D=rand:f64[700]:2 H=rand:i16[700]:3 B=rand:u8[700]:4 Of=rand:f32[700]:9 Od=rand:f64[700]:9 Oh=rand:i16[700]:9 Ob=rand:u8[700]:9 Out=new:i64[9] n=128 --out Out=out.npy
// run: X=rand:f32[700]:1 D=rand:f64[700]:2 H=rand:i16[700]:3 B=rand:u8[700]:4 Of=rand:f32[700]:9 Od=rand:f64[700]:9 Oh=rand:i16[700]:9 Ob=rand:u8[700]:9 Out=new:i64[9] n=107 --out Out=out.npy
// run: X=rand:f32[700]:1 D=rand:f64[700]:2 H=rand:i16[700]:3 B=rand:u8[700]:4 Of=rand:f32[700]:9 Od=rand:f64[700]:9 Oh=rand:i16[700]:9 Ob=rand:u8[700]:9 Out=new:i64[9] n=107 --cpu x86-64-v3 --out Out=out.npy
// run: X=rand:f32[700]:1 D=rand:f64[700]:2 H=rand:i16[700]:3 B=rand:u8[700]:4 Of=rand:f32[700]:9 Od=rand:f64[700]:9 Oh=rand:i16[700]:9 Ob=rand:u8[700]:9 Out=new:i64[9] n=3 --out Out=out.npy
#include <tilec/kernel.h>
static long digest(long x, long i)
{
    return sum(x * (2 * i + 1));
}
launch_grid(k, 1);
kernel void k(const float *restrict X, const double *restrict D, const int16_t *restrict H, const uint8_t *restrict B,
              float *restrict Of, double *restrict Od, int16_t *restrict Oh, uint8_t *restrict Ob,
              long *restrict Out, int n)
{
    int i = arange(0, 128), each = arange(0, 512);
    bool ok = i < n;
    float a = load(X + 2 * i, ok), b = load(X + 2 * i + 1, ok);
    store(Of + 2 * i, a - b, ok);
    store(Of + 2 * i + 1, a + b * 2, ok);
    double c = load(D + 2 * i + 1, ok), d = load(D + 2 * i, ok); // the second one first
    store(Od + 2 * i + 1, c * 2 - d, ok);
    store(Od + 2 * i, c + d, ok);
    short e = load(H + 2 * i, ok), f = load(H + 2 * i + 1, ok);
    store(Oh + 2 * i, f, ok);
    store(Oh + 2 * i + 1, e - f, ok);
    uint8_t g = load(B + 2 * i, ok), h = load(B + 2 * i + 1, ok);
    store(Ob + 2 * i, h ^ 7, ok);
    store(Ob + 2 * i + 1, g + h, ok);
    store(Out, digest((long)(load(Of + each) * 4096.0f), (long)each));
    store(Out + 1, digest((long)(load(Od + each) * 4096.0), (long)each));
    store(Out + 2, digest((long)load(Oh + each), (long)each));
    store(Out + 3, digest((long)load(Ob + each), (long)each));
    float x = load(X + 3 * i, ok), y = load(X + 3 * i + 1, ok), z = load(X + 3 * i + 2, ok);
    store(Of + 3 * i, z - x, ok);
    store(Of + 3 * i + 1, x + (float)g, ok);
    store(Of + 3 * i + 2, y, ok);
    store(Out + 4, digest((long)(load(Of + each) * 4096.0f), (long)each));
    uint8_t q = load(B + 4 * i, ok), r = load(B + 4 * i + 1, ok), s = load(B + 4 * i + 2, ok), t = load(B + 4 * i + 3, ok);
    store(Ob + 4 * i, t, ok);
    store(Ob + 4 * i + 1, s + q, ok);
    store(Ob + 4 * i + 2, r, ok);
    store(Ob + 4 * i + 3, q, ok);
    store(Out + 5, digest((long)load(Ob + each), (long)each));
    store(Out + 6, digest((long)(load(X + 2 * i + 5, ok) * 4096.0f), (long)i)); // one of each pair alone
    store(Oh + i, load(H + 2 * i + 1, ok) - load(H + 3 * i, ok), ok);
    store(Out + 7, digest((long)load(Oh + each), (long)each));
    store(Od + i, (double)load(X + 2 * i, ok) - load(D + 2 * i + 1, ok) * (double)load(B + 2 * i, ok), ok);
    store(Out + 8, digest((long)(load(Od + each) * 4096.0), (long)each));
}
---
run 1
Out i64[9]
-57269011 -35600961 -1121536 14577080 10529083160 16650740 -6169280 -1317656 12686856
run 2
Out i64[9]
-48004092 -46851561 -1041140 14023385 7794784812 15615839 -1590644 -1211041 68323563
run 3
Out i64[9]
-48004092 -46851561 -1041140 14023385 7794784812 15615839 -1590644 -1211041 68323563
run 4
Out i64[9]
-13397201 -13558441 -850804 12624444 -4960041 12629159 14988 -850756 -11754035
