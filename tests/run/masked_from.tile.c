// Masks that begin to hold behind all whole steps of a nest, in a nest that has no interior then, beside
// a store without a mask.
// run: X=@x.npy Out=new:i32[4,48] --out Out=out.npy
// array x.npy i32[48]: 1 2 3 4 5 6 7 8 9 10 11
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const int *restrict X, int *restrict Out)
{
    int i = arange(0, 48);
    int late = load(X + i - 40, i >= 40, 7), middle = load(X + i, i >= 24 && i < 45, 5);
    store(Out + i, 3);
    store(Out + 48 + i, cumsum(late));
    store(Out + 96 + i, i);
    store(Out + 144 + i, cumsum(middle));
}
---
run 1
Out i32[4,48]
3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3
7 14 21 28 35 42 49 56 63 70 77 84 91 98 105 112 119 126 133 140 147 154 161 168 175 182 189 196 203 210 217 224 231 238 245 252 259 266 273 280 281 283 286 290 295 301 308 316
0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47
5 10 15 20 25 30 35 40 45 50 55 60 65 70 75 80 85 90 95 100 105 110 115 120 123 127 132 138 145 153 162 172 183 184 186 189 193 198 204 211 219 228 238 249 250 255 260 265
