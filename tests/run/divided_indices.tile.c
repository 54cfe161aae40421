// Quotients and remainders of consecutive indices by constants, from a first one that only a launch
// knows, and of what is made of these.
// run: Out=zeros:i64[19] n=0 --out Out=out.npy
// run: Out=zeros:i64[19] n=12345 --out Out=out.npy
// run: Out=zeros:i64[19] n=-7 --out Out=out.npy
// run: Out=zeros:i64[19] n=1152921504606846000 --out Out=out.npy
launch_grid(k, 1);
static long digest(long q, long r)
{
    return sum(((q & 1048575) * 31 + (q >> 30) % 1000 + r) * (arange(0, 200) + 1));
}
kernel void k(long *restrict Out, long n)
{
    long i = maximum(n, 0) + arange(0, 200);
    store(Out, digest(i / 2, i % 2));
    store(Out + 1, digest(i / 3, i % 3));
    store(Out + 2, digest(i / 7, i % 7));
    store(Out + 3, digest(i / 9, i % 9 / 3));
    store(Out + 4, digest(i / 10 % 10, i % 10 / 7));
    store(Out + 5, digest(i / 16, i % 16));
    store(Out + 6, digest(i / 63, i % 63));
    store(Out + 7, digest(i / 100, i % 100));
    store(Out + 8, digest(i / 16777216, i % 16777216));
    store(Out + 9, digest(i / 16777215, i % 16777215));
    store(Out + 10, digest(i / 16777217, i % 16777217));
    long j = 5 * i;
    store(Out + 11, digest(j / 3, j % 3));
    store(Out + 12, digest(j / 4, j % 4));
    store(Out + 13, digest(j / 11, j % 11));
    store(Out + 14, digest(j / 1000, j % 1000));
    long m = n + arange(0, 200);
    store(Out + 15, digest(m / 3, m % 3));
    store(Out + 16, digest(m / 8, m % 8));
    long few = i % 5 * (i % 3) + i % 16777215;
    store(Out + 17, digest(few / 6, few % 7));
    store(Out + 18, digest((i + arange(0, 200) * 63) / 3, (i + arange(0, 200) * 63) % 13));
}
---
run 1
Out i64[19]
41185850 27367892 11603864 8928381 3321690 5027240 1632104 1628150 2666600 2666600 2666600 137586108 103125550 37393900 13333000 27367892 10127800 13805786 1763425891
run 2
Out i64[19]
3887272050 2591424392 1110483164 863611977 2561890 485783240 123736460 78379070 250801100 250801100 250801100 12957868608 9718339450 3533831680 47929960 2591424392 971651000 1295839949 4327482329
run 3
Out i64[19]
41185850 27367892 11603864 8928381 3321690 5027240 1632104 1628150 2666600 2666600 2666600 137586108 103125550 37393900 13333000 513502405 9585244 13805786 1763425891
run 4
Out i64[19]
653123129750 217632801992 186615061460 508129241577 3321690 653352070040 165937094924 496563404750 990573439400 2618882600 650882132900 434716671108 652716257050 296755629140 574988124100 217632801992 653316427900 337817157 219368859991
