// Gathers and scatters by ints and shorter ones behind addresses that all lanes share: negative offsets, unsigned ones
// with the upper bit set, two in one address, rows of an outer axis, offsets from memory that the nest writes.
// run: :k X=@x.npy U=@u.npy B=@b.npy S=@s.npy I=@i.npy Out=new:i32[8,40] first=2 --grid 1 --out Out=out.npy
// run: :elements D=@d.npy U=@u.npy B=@b.npy Out=new:f64[3,40] Bytes=new:u8[40] --grid 1 --out Out=out.npy --out Bytes=bytes.npy
// run: :scatter X=@x.npy P=@p.npy I=@i.npy Out=new:i32[3,40] Old=new:i32[40] --grid 1 --out Out=out.npy --out I=i.npy --out Old=old.npy
// array x.npy i32[40]: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39
// array u.npy u8[40]: 7 39 0 200 12 5 3
// array b.npy i8[40]: -7 0 12 -128 5 3 1
// array s.npy u16[40]: 17 39 0 65535 12 5 3
// array i.npy i32[40]: 10 20 30 2 -5 4 -2147483648
// array p.npy i32[40]: 39 3 17 5 0 1 2 4 6 7 8 9 10 11 12 13 14 15 16 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38
// array d.npy f64[40]: 0.5 1 2 3 4.25 5 6 7 8 9
#include <tilec/kernel.h>
kernel void k(const int *restrict X, const uint8_t *restrict U, const int8_t *restrict B, const uint16_t *restrict S,
              const int *restrict I, int *restrict Out, int first)
{
    int i = arange(0, 40);
    int u = load(U + i), b = load(B + i), s = load(S + i), x = load(I + i);
    store(Out + i, load(X + u, u < 40, -1));
    store(Out + 40 + i, load(X + 10 + first + b, b > -13 && b < 28, -2));
    store(Out + 80 + i, load(X + s, s < 40, -3));
    store(Out + 120 + i, load(X + 20 + x + first, x > -23 && x < 18, -4));
    store(Out + 160 + i, load(X + (x & 15) + (u & 7), u != 12, -5));
    store(Out + 200 + i, load(X + (x & 7) + i / 2));
    int row = expand_dims(arange(0, 2), 1), col = expand_dims(arange(0, 40), 0);
    store(Out + 240 + row * 40 + col, load(X + row * 20 + expand_dims(x & 15, 0)));
}
kernel void elements(const double *restrict D, const uint8_t *restrict U, const int8_t *restrict B, double *restrict Out,
                     uint8_t *restrict Bytes)
{
    int i = arange(0, 40);
    int u = load(U + i), b = load(B + i);
    store(Out + i, load(D + (u & 31)));
    store(Out + 40 + i, load(D + 12 + b, b > -13 && b < 28, -2.0) * 2.0);
    store(Out + 80 + i, load(D + 39 - (u & 7)));
    store(Bytes + i, load(U + (b & 15)));
}
kernel void scatter(const int *restrict X, const int *restrict P, int *restrict I, int *restrict Out, int *restrict Old)
{
    int i = arange(0, 40);
    int x = load(X + i), p = load(P + i), k = load(I + i);
    store(Out + p, x);
    store(Out + 40 + p, x * 2, x != 7);
    store(Out + 80 + (p & 15), x);
    store(I + i, 39 - i);
    store(Old + i, load(X + (k & 31)));
}
---
run 1
Out i32[8,40]
7 39 0 -1 12 5 3 7 39 0 -1 12 5 3 7 39 0 -1 12 5 3 7 39 0 -1 12 5 3 7 39 0 -1 12 5 3 7 39 0 -1 12
5 12 24 -2 17 15 13 5 12 24 -2 17 15 13 5 12 24 -2 17 15 13 5 12 24 -2 17 15 13 5 12 24 -2 17 15 13 5 12 24 -2 17
17 39 0 -3 12 5 3 17 39 0 -3 12 5 3 17 39 0 -3 12 5 3 17 39 0 -3 12 5 3 17 39 0 -3 12 5 3 17 39 0 -3 12
32 -4 -4 24 17 26 -4 32 -4 -4 24 17 26 -4 32 -4 -4 24 17 26 -4 32 -4 -4 24 17 26 -4 32 -4 -4 24 17 26 -4 32 -4 -4 24 17
17 11 14 2 -5 9 3 17 11 14 2 -5 9 3 17 11 14 2 -5 9 3 17 11 14 2 -5 9 3 17 11 14 2 -5 9 3 17 11 14 2 -5
2 4 7 3 5 6 3 5 8 10 7 8 10 6 9 11 14 10 12 13 10 12 15 17 14 15 17 13 16 18 21 17 19 20 17 19 22 24 21 22
10 4 14 2 11 4 0 10 4 14 2 11 4 0 10 4 14 2 11 4 0 10 4 14 2 11 4 0 10 4 14 2 11 4 0 10 4 14 2 11
30 24 34 22 31 24 20 30 24 34 22 31 24 20 30 24 34 22 31 24 20 30 24 34 22 31 24 20 30 24 34 22 31 24 20 30 24 34 22 31
run 2
Out f64[3,40]
7 7 0.5 8 2 5 3 7 7 0.5 8 2 5 3 7 7 0.5 8 2 5 3 7 7 0.5 8 2 5 3 7 7 0.5 8 2 5 3 7 7 0.5 8 2
10 4 8.5 -4 14 10 6 10 4 8.5 -4 14 10 6 10 4 8.5 -4 14 10 6 10 4 8.5 -4 14 10 6 10 4 8.5 -4 14 10 6 10 4 8.5 -4 14
2 2 9 9 5 4.25 6 2 2 9 9 5 4.25 6 2 2 9 9 5 4.25 6 2 2 9 9 5 4.25 6 2 2 9 9 5 4.25 6 2 2 9 9 5
Bytes u8[40]
0 7 5 7 5 200 39 0 7 5 7 5 200 39 0 7 5 7 5 200 39 0 7 5 7 5 200 39 0 7 5 7 5 200 39 0 7 5 7 5
run 3
Out i32[3,40]
4 5 6 1 7 3 8 9 10 11 12 13 14 15 16 17 18 2 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 0
8 10 12 2 -1515870811 6 16 18 20 22 24 26 28 30 32 34 36 4 38 40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 74 76 78 0
33 34 35 36 37 38 39 24 25 26 27 28 29 30 31 32 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811
I i32[40]
39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
Old i32[40]
10 20 30 2 27 4 0 10 20 30 2 27 4 0 10 20 30 2 27 4 0 10 20 30 2 27 4 0 10 20 30 2 27 4 0 10 20 30 2 27
