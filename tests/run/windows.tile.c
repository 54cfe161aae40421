// Masks that begin and end within a row, or hold nowhere: what lies outside is not gone through one by one,
// which must not be seen in sums that count it, nor in signs of zeros, NaN, places of equals or kept tiles; and
// the lanes of a mask at the edges of its window, also where a maximum or a selection is part of an index.
// run: X=rand:i32[256]:1 F=new:f32[9,8] G=new:i32[9,8] n=250 width=40 --grid 9 --out F=f.npy --out G=g.npy
// run: X=rand:i32[256]:1 F=new:f32[9,8] G=new:i32[9,8] n=250 width=40 --grid 9 --cpu x86-64-v3 --out F=f.npy --out G=g.npy
// run: X=rand:i32[256]:1 F=new:f32[9,8] G=new:i32[9,8] n=250 width=40 --grid 9 --target interp --out F=f.npy --out G=g.npy
kernel void k(const int *restrict X, float *restrict F, int *restrict G, int n, int width)
{
    int p = program_id(0), c = arange(0, 256), last = 45 * p - 70; /* from nowhere to nowhere */
    bool in = c < n && c <= last && c > last - width;
    float x = load(X + c, in, 0), one = load(X + c, in, 1), low = load(X + c, in, -1000);
    store(F + p * 8, sum(x));
    store(F + p * 8 + 1, sum(one));
    store(F + p * 8 + 2, max(low));
    store(F + p * 8 + 3, 1.0f / sum(-x * 0.0f));
    store(F + p * 8 + 4, sum(where(in, x, NAN)));
    store(F + p * 8 + 5, max(where(in, x, -INFINITY)));
    float e = where(in, x * 0.5f, 0.0f), kept = e / maximum(max(e), 1.0f);
    store(F + p * 8 + 6, floor(sum(reshape(trans(reshape(kept, 16, 16)), 256) * c)));
    store(F + p * 8 + 7, min(where(in, x, 5.0f)));
    store(G + p * 8, argmax(load(X + c, in, 1000)));
    store(G + p * 8 + 1, argmin(load(X + c, in, 1000)));
    store(G + p * 8 + 2, sum((int)in));
    store(G + p * 8 + 3, sum((int)!in));
    int at = minimum(maximum(c - 3, 0), n - 1), chosen = where(c > last, c - 1, c + 1);
    store(G + p * 8 + 4, sum(load(X + at, at < last, -7)));
    store(G + p * 8 + 5, sum(load(X + chosen, chosen < n && chosen >= 0 && chosen > last - width, -3)));
    store(G + p * 8 + 6, sum((int)cast(int8_t, load(X + c, in, 2))));
    store(G + p * 8 + 7, max(cumsum(load(X + c, in, 1))));
}
---
run 1
F f32[9,8]
0 256 -1000 -inf nan -inf 0 5
0 256 -1000 -inf nan -inf 0 5
-108 127 90 inf nan 90 -81 -95
200 416 93 inf nan 93 137 -99
-26 190 99 inf nan 99 -61 -99
52 268 94 inf nan 94 -305 -85
98 314 99 inf nan 99 308 -97
-377 -161 92 inf nan 92 -14 -96
0 256 -1000 -inf nan -inf 0 5
G i32[9,8]
0 0 0 256 -1792 -25 512 256
0 0 0 256 -1792 -25 512 256
21 9 21 235 -1783 -18 362 127
0 61 40 216 -989 -275 632 416
0 93 40 216 -642 -697 406 351
0 140 40 216 -489 -569 484 314
0 176 40 216 -135 -657 530 515
0 239 40 216 37 -1144 55 285
0 0 0 256 89 -768 512 256
run 2
F f32[9,8]
0 256 -1000 -inf nan -inf 0 5
0 256 -1000 -inf nan -inf 0 5
-108 127 90 inf nan 90 -81 -95
200 416 93 inf nan 93 137 -99
-26 190 99 inf nan 99 -61 -99
52 268 94 inf nan 94 -305 -85
98 314 99 inf nan 99 308 -97
-377 -161 92 inf nan 92 -14 -96
0 256 -1000 -inf nan -inf 0 5
G i32[9,8]
0 0 0 256 -1792 -25 512 256
0 0 0 256 -1792 -25 512 256
21 9 21 235 -1783 -18 362 127
0 61 40 216 -989 -275 632 416
0 93 40 216 -642 -697 406 351
0 140 40 216 -489 -569 484 314
0 176 40 216 -135 -657 530 515
0 239 40 216 37 -1144 55 285
0 0 0 256 89 -768 512 256
run 3
F f32[9,8]
0 256 -1000 -inf nan -inf 0 5
0 256 -1000 -inf nan -inf 0 5
-108 127 90 inf nan 90 -81 -95
200 416 93 inf nan 93 137 -99
-26 190 99 inf nan 99 -61 -99
52 268 94 inf nan 94 -305 -85
98 314 99 inf nan 99 308 -97
-377 -161 92 inf nan 92 -14 -96
0 256 -1000 -inf nan -inf 0 5
G i32[9,8]
0 0 0 256 -1792 -25 512 256
0 0 0 256 -1792 -25 512 256
21 9 21 235 -1783 -18 362 127
0 61 40 216 -989 -275 632 416
0 93 40 216 -642 -697 406 351
0 140 40 216 -489 -569 484 314
0 176 40 216 -135 -657 530 515
0 239 40 216 37 -1144 55 285
0 0 0 256 89 -768 512 256
