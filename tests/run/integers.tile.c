// Integer arithmetic: promotions, truncation toward zero, shifts modulo the width, wrapping.
// run: :k Out=new:i32[12] n=2 --grid 1 --out Out=out.npy
// run: :exact Out=new:i32[2] n=100000 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    store(Out, -7 / n);
    store(Out + 1, -7 % n);
    store(Out + 2, cdiv(-7, n));
    uint8_t q = 198 + n;
    store(Out + 3, q + 100);
    q += 100;
    store(Out + 4, q);
    store(Out + 5, (q & 15) - 15);
    unsigned u = n;
    store(Out + 6, u - 3 > 1000);
    store(Out + 7, n - 3 > 1000);
    store(Out + 8, next_pow2(n + 3));
    bool b = n;
    store(Out + 9, b + b);
    store(Out + 10, (uint8_t)(n - 3) >> 1);
    store(Out + 11, (int8_t)(n + 198) >> 1);
}
kernel void exact(int *Out, int n)
{
    int big = n;
    big = big * n * n;
    store(Out, big / n / n);
    store(Out + 1, big > n);
}
---
run 1
Out i32[12]
-3 -1 -3 300 44 -3 1 0 8 2 127 -28
run 2
Out i32[2]
100000 1
