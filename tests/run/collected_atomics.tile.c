// Additions of many integers to few elements are collected by each thread (src/cpu/collect.c): also of elements
// beyond its table, before the array's start, in 64 bits, with wrapping, under masks, and to two arrays.
// run: I=@i.npy A=@zeros.npy B=@longs.npy n=100 --grid 40 --out A=a.npy --out B=b.npy
// run: I=@i.npy A=@zeros.npy B=@longs.npy n=100 --grid 40 --threads 2 --out A=a.npy --out B=b.npy
// run: I=@i.npy A=@zeros.npy B=@longs.npy n=100 --grid 40 --cpu generic --out A=a.npy --out B=b.npy
// run: I=@i.npy A=@zeros.npy B=@longs.npy n=100 --grid 40 --cpu x86-64-v3 --out A=a.npy --out B=b.npy
// run: I=@i.npy A=@zeros.npy B=@longs.npy n=100 --grid 40 --target interp --out A=a.npy --out B=b.npy
// array i.npy i32[100]: 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -1 -2 -3 -4 -5 10 11 12 13 14 15 16 17 18 19 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 19 19 19 19 19 19 19 19 19 19
// array zeros.npy u32[20]: 0 0 0 4294967295 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7
// array longs.npy i64[20]: 0 0 0 0 -9000000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
kernel void k(const int *restrict I, uint32_t *restrict A, int64_t *restrict B, int n)
{
    int p = program_id(0), i = arange(0, 512);
    int x = load(I + i, i < n, -100);
    atomic_add(A + x, cast(uint32_t, 3 + p % 2), x >= 0);
    /* the array's middle, from elements beyond any table and in front of it */
    int far = where(p % 2 == 0, 100000, -100000);
    atomic_add(B + far + (x - far), cast(int64_t, 1) << 31, x >= 0 & x < 10 & p < 5);
}
---
run 1
A u32[20]
700 700 700 3499 700 700 700 700 700 700 140 140 140 140 140 140 140 140 140 1547
B i64[20]
53687091200 53687091200 53687091200 268435456000 44687091200 53687091200 53687091200 53687091200 53687091200 53687091200 0 0 0 0 0 0 0 0 0 0
run 2
A u32[20]
700 700 700 3499 700 700 700 700 700 700 140 140 140 140 140 140 140 140 140 1547
B i64[20]
53687091200 53687091200 53687091200 268435456000 44687091200 53687091200 53687091200 53687091200 53687091200 53687091200 0 0 0 0 0 0 0 0 0 0
run 3
A u32[20]
700 700 700 3499 700 700 700 700 700 700 140 140 140 140 140 140 140 140 140 1547
B i64[20]
53687091200 53687091200 53687091200 268435456000 44687091200 53687091200 53687091200 53687091200 53687091200 53687091200 0 0 0 0 0 0 0 0 0 0
run 4
A u32[20]
700 700 700 3499 700 700 700 700 700 700 140 140 140 140 140 140 140 140 140 1547
B i64[20]
53687091200 53687091200 53687091200 268435456000 44687091200 53687091200 53687091200 53687091200 53687091200 53687091200 0 0 0 0 0 0 0 0 0 0
run 5
A u32[20]
700 700 700 3499 700 700 700 700 700 700 140 140 140 140 140 140 140 140 140 1547
B i64[20]
53687091200 53687091200 53687091200 268435456000 44687091200 53687091200 53687091200 53687091200 53687091200 53687091200 0 0 0 0 0 0 0 0 0 0
