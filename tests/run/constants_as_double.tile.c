// Constants without a suffix are doubles, as in C, where they become integers or doubles, also beside
// constants that are integers; only what they meet otherwise makes them floats.
// run: L=new:i64[12] D=new:f64[5] F=new:f32[3] H=@h.npy --out L=l.npy --out D=d.npy --out F=f.npy
// array h.npy f16[2]: 3 0.1
static long same(long x) { return x; }
constexpr long AT_FILE = 1e18;
static const long table[2] = {1e15 + 1, 0x1p53 + 1 - 1};
launch_grid(k, 1);
kernel void k(long *L, double *D, float *F, const half *H)
{
    long l = 1e18, m = (long)1e18, n = 2e18 + 1 - 1e3;
    int i = 16777217.0, j = (int)(0.1 * 30 + 16777217);
    store(L, l);
    store(L + 1, m);
    store(L + 2, n);
    store(L + 3, i);
    store(L + 4, j);
    store(L + 5, same(1e18));
    store(L + 6, AT_FILE);
    store(L + 7, table[0] + table[1]);
    store(L + 8, cast(long, 1e18 / 4));
    store(L + 9, (bool)1e-60);
    store(L + 10, (uint64_t)1.5e19 >> 1);
    store(L + 11, max(full(long, 1e18, 4)));
    double a = 0.1 * 2, b = 1 / 3.0, c = 1e18 + 1, d = 7u - 0.1;
    store(D, a);
    store(D + 1, b);
    store(D + 2, c);
    store(D + 3, d);
    store(D + 4, (double)(5 * 0.1 + 1));
    auto f = 0.1 * 3;
    store(F, f);
    store(F + 1, 16777216.0f + (0.5 + 1));
    store(F + 2, H[0] * (1 / 3.0)); /* of half, like H */
}
---
run 1
L i64[12]
1000000000000000000 1000000000000000000 1999999999999998976 16777217 16777220 1000000000000000000 1000000000000000000 10007199254740992 250000000000000000 1 7500000000000000000 1000000000000000000
D f64[5]
0.20000000000000001 0.33333333333333331 1e+18 6.9000000000000004 1.5
F f32[3]
0.300000012 16777218 1
