// Quotients and remainders of tiles by constants, which become shifts and multiplications, are those by the same
// divisors from memory: counts of elements that differ, which are all 0, and sums that show what was divided.
// run: X=rand:i64[64]:1 D=@d.npy Out=new:i64[4,16] --grid 1 --out Out=out.npy
// run: X=rand:i64[64]:1 D=@d.npy Out=new:i64[4,16] --grid 1 --cpu x86-64-v3 --out Out=out.npy
// run: X=rand:i64[64]:1 D=@d.npy Out=new:i64[4,16] --grid 1 --target interp --out Out=out.npy
// array d.npy i64[16]: 1 2 3 7 10 64 100 127 -1 -2 -3 -7 -128 -64 31 -100
#define ONE(K, C)                                                                                  \
    y = where((C) == -1 && i == 5, 9, x); /* the least integer by -1 is a fault */                 \
    wrong += sum((int)(y / (C) != y / (auto_t)D[K])) + sum((int)(y % (C) != y % (auto_t)D[K]));    \
    total += sum((uint64_t)(y / (C)) + (uint64_t)(y % (C)) * 3);
#define ALL                                                                                        \
    ONE(0, 1) ONE(1, 2) ONE(2, 3) ONE(3, 7) ONE(4, 10) ONE(5, 64) ONE(6, 100) ONE(7, 127)          \
    ONE(8, -1) ONE(9, -2) ONE(10, -3) ONE(11, -7) ONE(12, -128) ONE(13, -64) ONE(14, 31) ONE(15, -100)
#define KIND(TYPE, LEAST, AT)                                                                      \
    {                                                                                              \
        int wrong = 0;                                                                             \
        uint64_t total = 0;                                                                        \
        TYPE x = where(i == 5, LEAST, where(i == 6, LEAST + 1, load(X + i) * (i * 37 + 1))), y;    \
        ALL                                                                                        \
        store(Out + (AT), wrong);                                                                  \
        store(Out + (AT) + 1, total);                                                              \
    }
kernel void k(const int64_t *restrict X, const int64_t *restrict D, int64_t *restrict Out)
{
    int i = arange(0, 64);
    store(Out + i, 0);
#define auto_t int
    KIND(int, -2147483647 - 1, 0)
#undef auto_t
#define auto_t int64_t
    KIND(int64_t, -9223372036854775807 - 1, 16)
#undef auto_t
#define auto_t int
    KIND(int16_t, -32768, 32)
    KIND(int8_t, -128, 48)
}
---
run 1
Out i64[4,16]
0 -2715733035 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 6782506603781196617 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 -28732 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 43 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 2
Out i64[4,16]
0 -2715733035 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 6782506603781196617 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 -28732 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 43 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 3
Out i64[4,16]
0 -2715733035 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 6782506603781196617 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 -28732 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 43 0 0 0 0 0 0 0 0 0 0 0 0 0 0
