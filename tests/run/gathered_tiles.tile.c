// Gathers of tiles by indices in a pattern along the lanes (src/cpu/pattern.c), and by ones that all lanes share,
// which run along another axis: elements of every size, inside and outside of the tile, of lengths that are no
// multiple of the lanes. A number stands for all elements of a result and their order.
// run: Out=new:i64[20] --target interp --out Out=out.npy -D N=37 -D T=float
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=float
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=float --cpu x86-64-v3
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=float --cpu generic
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=int8_t
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=bool
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=half
// run: Out=new:i64[20] --out Out=out.npy -D N=37 -D T=int64_t
// run: Out=new:i64[20] --target interp --out Out=out.npy -D N=64 -D T=half
// run: Out=new:i64[20] --out Out=out.npy -D N=64 -D T=half
// run: Out=new:i64[20] --out Out=out.npy -D N=64 -D T=double --cpu x86-64-v3
// run: Out=new:i64[20] --out Out=out.npy -D N=64 -D T=uint16_t --cpu generic
#include <tilec/kernel.h>
#ifndef N
#define N 37
#define T float
#endif
static int64_t all_of(auto x)
{
    auto place = expand_dims(arange(1, 7), 1) * 128 + expand_dims(arange(1, N + 1), 0);
    return sum(cast(int64_t, x) * place * place);
}
static auto row(auto i)
{
    return broadcast_to(expand_dims(i, 0), 6, N);
}
static auto column(auto i)
{
    return broadcast_to(expand_dims(i, 1), 6, N);
}
launch_grid(k, 1);
kernel void k(int64_t *Out)
{
    int i = arange(0, N), j = arange(0, 6);
    T x = cast(T, (expand_dims(j * 37, 1) + expand_dims(arange(0, 128) * 11, 0)) % 101 % 63);
    T y = cast(T, (expand_dims(arange(0, 12) * 5, 1) + expand_dims(i * 3, 0)) % 59);
    store(Out, all_of(gather(x, row(i / 2), axis(1))));
    store(Out + 1, all_of(gather(x, row(i % 4), axis(1))));
    store(Out + 2, all_of(gather(x, row(i ^ 1), axis(1))));
    store(Out + 3, all_of(gather(x, row(i ^ 63), axis(1))));
    store(Out + 4, all_of(gather(x, row(i | 72), axis(1))));
    store(Out + 5, all_of(gather(x, row(i & 36), axis(1))));
    store(Out + 6, all_of(gather(x, row(100 - i), axis(1))));
    store(Out + 7, all_of(gather(x, row(100 - (i ^ 3)), axis(1))));
    store(Out + 8, all_of(gather(x, row(2 * i % 128), axis(1))));
    store(Out + 9, all_of(gather(x, row((i + 16) ^ 20), axis(1))));
    store(Out + 10, all_of(gather(x, row((i * 2) & 62), axis(1))));
    store(Out + 11, all_of(gather(x, column(j) ^ row(i), axis(1))));
    store(Out + 12, all_of(gather(y, column(j ^ 1), axis(0))));
    store(Out + 13, all_of(gather(y, column(j + 6), axis(0))));
    store(Out + 14, all_of(gather(y, column(11 - j), axis(0))));
    store(Out + 15, all_of(gather(y, column(j * 2), axis(0))));
    store(Out + 16, all_of(gather(y, column(j / 3) + row(i % 2), axis(0))));
    store(Out + 17, all_of(where(row(i) > 30, gather(y, column(j ^ 6), axis(0)), gather(x, row(i ^ 5), axis(1)))));
    T z = gather(y, column(j), axis(0));
    for (int s = 1; s < 6; s += 2)
        z = gather(z, column((j + s) % 6), axis(0));
    store(Out + 18, all_of(z));
    store(Out + 19, all_of(gather(full(T, 1, 6, 128), row(i ^ 7), axis(1))));
}
---
run 1
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 2
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 3
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 4
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 5
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 6
Out i64[20]
58264407 58832296 58059964 57101716 57845322 58723506 58171780 58169812 57499847 58244439 57500822 58068823 57597539 57771724 58247884 57747939 57483180 57319651 57458275 59049706
run 7
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 8
Out i64[20]
1567290486 1443313385 1547312950 1542511405 1467408731 1701481616 1557255629 1564625920 1517439657 1568272090 1538511617 1562850325 1751275257 1649693928 1703490280 1681174759 1741565366 1571473200 1733396217 59049706
run 9
Out i64[20]
2760584898 2617932400 2812688922 2810308110 2767377174 2950528448 2840623950 2840362208 2819269613 2830153087 2802504992 2811819720 3056893380 3165016360 3202329896 3155831494 2945380505 2836994902 2989432260 107139136
run 10
Out i64[20]
2760584898 2617932400 2812688922 2810308110 2767377174 2950528448 2840623950 2840362208 2819269613 2830153087 2802504992 2811819720 3056893380 3165016360 3202329896 3155831494 2945380505 2836994902 2989432260 107139136
run 11
Out i64[20]
2760584898 2617932400 2812688922 2810308110 2767377174 2950528448 2840623950 2840362208 2819269613 2830153087 2802504992 2811819720 3056893380 3165016360 3202329896 3155831494 2945380505 2836994902 2989432260 107139136
run 12
Out i64[20]
2760584898 2617932400 2812688922 2810308110 2767377174 2950528448 2840623950 2840362208 2819269613 2830153087 2802504992 2811819720 3056893380 3165016360 3202329896 3155831494 2945380505 2836994902 2989432260 107139136
