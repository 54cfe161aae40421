// Elements of tables: by tiles of one and two axes and of few elements, by scalars and constants, under masks,
// in loops, in helpers, behind a reduction, as an operand of a product, and as an index of what memory holds.
// run: X=@x.npy Out=new:f32[8,16] R=new:i32[25] n=19 --out Out=out.npy --out R=r.npy
// run: X=@x.npy Out=new:f32[8,16] R=new:i32[25] n=64 --out Out=out.npy --out R=r.npy --cpu x86-64-v3
// array x.npy u8[64]: 0 255 16 1 34 51 68 85 102 119 136 153 170 187 204 221 238 15 240 128 7 9 11 13
#include <tilec/kernel.h>
static const float sixteen[16] = {-8, -7, -6, -5, -4, -3, -2, -1, 0.5f, 1, 2, 3, 4, 5, 6, 7};
static const half halves[4] = {0.5, -1.5, 2, 65504};
constexpr uint8_t reversed[16] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
constexpr int place[8] = {7, 6, 5, 4, 3, 2, 1, 0};
const int8_t small[3] = {-1, 0, 1};
static float decode(int code, auto values)
{
    return values[code & 15] + values[code >> 4];
}
launch_grid(k, 1);
kernel void k(const uint8_t *restrict X, float *restrict Out, int *restrict R, int n)
{
    int i = arange(0, 16), r = expand_dims(arange(0, 4), 1), c = expand_dims(arange(0, 16), 0);
    auto q = load(X + i, i < n);
    store(Out + i, sixteen[q & 15]);
    store(Out + 16 + i, decode(q, sixteen));
    float s = 0;
    for (int t = 0; t < 4; t++)
        s += sixteen[load(X + t * 16 + i, t * 16 + i < n) & 15] * halves[t & 1];
    store(Out + 32 + i, s);
    store(Out + 48 + i, halves[i % 4] * small[i % 3] + sixteen[n & 15], i != 3);
    float w = sixteen[load(X + r * 16 + c) >> 4]; /* [4, 16] */
    store(Out + 64 + i, sum(w, axis(0)));
    float p = dot(w, trans(w)); /* [4, 4] */
    store(Out + 80 + r * 4 + expand_dims(arange(0, 4), 0), p);
    store(Out + 96 + i, load(X + place[i & 7] + reversed[i]));
    store(Out + 112 + i, cumsum(sixteen[reversed[i]]));
    store(R + i, reversed[q & 15] + small[X[3]] + place[n % 5 + 1]);
    store(R + 16 + arange(0, 3), small[arange(0, 3)]);
    int e = -1;
    if (n > 20 && place[n - 60] == 3)
        e = place[2] * small[2];
    store(R + 19, e);
    store(R + 20 + arange(0, 5), reversed[max(reversed[q >> 4])] + arange(0, 5));
}
---
run 1
Out f32[8,16]
-8 7 -8 -7 -6 -5 -4 -3 -2 -1 0.5 1 2 3 4 5
-16 14 -15 -15 -12 -10 -8 -6 -4 -2 1 2 4 6 8 10
-5 1 16 16.5 17 17.5 18 18.5 19 19.5 20.25 20.5 21 21.5 22 22.5
-5.5 -5 -3 nan -5 -6.5 -7 -5 -4.5 -3.5 -5 65499 -5.5 -5 -3 -65509
-12 5 -6.5 -14.5 -18 -15 -12 -9 -6 -3 1 -5.5 -10 -7 -4 -1
372.25 -73.5 -172.5 372.25 -73.5 717.25 -125 -73.5 -172.5 -125 465.5 -172.5 372.25 -73.5 -172.5 372.25
85 204 119 238 51 170 85 204 102 221 136 15 68 187 102 221
-8 -7.5 -11.5 -7.5 -13.5 -11.5 -13.5 -7.5 -14.5 -13.5 -16.5 -11.5 -16.5 -13.5 -14.5 -7.5
R i32[25]
2 17 2 10 6 14 4 12 8 16 3 11 7 15 5 13 -1 0 1 -1 15 16 17 18 19
run 2
Out f32[8,16]
-8 7 -8 -7 -6 -5 -4 -3 -2 -1 0.5 1 2 3 4 5
-16 14 -15 -15 -12 -10 -8 -6 -4 -2 1 2 4 6 8 10
-2 -18 20.25 19.5 8.5 5 1.5 -2 17 -6 7.5 5.5 6.5 5 3.5 2
-8.5 -8 -6 nan -8 -9.5 -10 -8 -7.5 -6.5 -8 65496 -8.5 -8 -6 -65512
-12 5 -6.5 -14.5 -18 -15 -12 -9 -6 -3 1 -5.5 -10 -7 -4 -1
372.25 -73.5 -172.5 372.25 -73.5 717.25 -125 -73.5 -172.5 -125 465.5 -172.5 372.25 -73.5 -172.5 372.25
85 204 119 238 51 170 85 204 102 221 136 15 68 187 102 221
-8 -7.5 -11.5 -7.5 -13.5 -11.5 -13.5 -7.5 -14.5 -13.5 -16.5 -11.5 -16.5 -13.5 -14.5 -7.5
R i32[25]
2 17 2 10 6 14 4 12 8 16 3 11 7 15 5 13 -1 0 1 5 15 16 17 18 19
