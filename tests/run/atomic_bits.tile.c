// Sets of bits that all programs make, in every width and in bools; a scalar address takes all lanes.
// run: X=@x.npy Seen=@u3.npy Odd=@u8.npy Any=@b5.npy Wide=@wide.npy Short=@s1.npy --out Seen=s.npy --out Odd=o.npy --out Any=y.npy --out Wide=w.npy --out Short=h.npy
// run: :truths X=@x.npy B=@b8.npy Out=new:i32[8] --out B=b.npy --out Out=o.npy
// array x.npy i32[8]: 0 1 5 9 31 33 64 95
// array wide.npy i64[2]: -1 -1
// array u3.npy u32[3]: 0
// array u8.npy u8[2]: 0
// array b5.npy bool[5]: 0
// array b8.npy bool[8]: 0
// array s1.npy i16[1]: 0
#include <tilec/kernel.h>
launch_grid(k, 2);
kernel void k(const int *X, uint32_t *Seen, uint8_t *Odd, bool *Any, int64_t *Wide, int16_t *Short)
{
    int p = program_id(0), x = load(X + p * 4 + arange(0, 4));
    atomic_or(Seen + x / 32, cast(uint32_t, 1) << (x & 31), x != 9);
    atomic_xor(Odd + x % 2, x + 128);
    atomic_or(Any + arange(0, 4), x > 60);
    atomic_xor(Any + 4, x == 33);
    atomic_and(Wide, ~((int64_t)1 << (x & 63)), x < 63);
    atomic_and(Wide + 1, ~x, p == 1);
    atomic_or(Short, x, x < 10);
    atomic_or(Short, cast(int16_t, -32768), x == 31);
}
launch_grid(truths, 2);
kernel void truths(const int *X, bool *B, int *Out)
{
    int i = program_id(0) * 4 + arange(0, 4), x = load(X + i);
    bool unset = atomic_xor(B + i, x > 8), above = atomic_and(B + i, x < 64),
         between = atomic_or(B + i, x == 1);
    store(Out + i, unset * 100 + above * 10 + between);
}
---
run 1
Seen u32[3]
2147483683 2 2147483649
Odd u8[2]
64 108
Any bool[5]
0 0 1 1 1
Wide i64[2]
-10737418788 -128
Short i16[1]
-32755
run 2
B bool[8]
0 1 0 1 1 1 0 0
Out i32[8]
0 0 0 11 11 11 10 10
