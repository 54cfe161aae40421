// What is read where it is stored: turned, at wrapped rows, or as an operand, it is read before all stores.
// run: :turned A=@a.npy B=@b.npy C=@c.npy --grid 1 --out C=c.npy
// run: :wrapped A=@a.npy B=@b.npy C=@c.npy M=8 W=3 --grid 1 --out C=c.npy
// run: :operand B=@d.npy C=@e.npy M=7 --grid 1 --out C=c.npy
// array a.npy f32[8,2]: 1 0 2 -1 3
// array b.npy f32[2,8]: 1 0 -1 1 2 0 0
// array c.npy f32[8,8]: 1 2 3 0 -1 -2 0 0 5 4 2
// array d.npy f32[20,20]: 1 0 0 0 2 0 0 0 -1
// array e.npy f32[7,20]: 0 1 0 0 -1 2 0 0 1
#include <tilec/kernel.h>
kernel void turned(const float *restrict A, const float *restrict B, float *restrict C)
{
    auto c = view(C, 8, 8);
    auto old = tile_load(c, 0, 0, 8, 8);
    auto s = dot(tile_load(view(A, 8, 2), 0, 0, 8, 2), tile_load(view(B, 2, 8), 0, 0, 2, 8));
    tile_store(c, 0, 0, s + trans(old));
}
kernel void wrapped(const float *restrict A, const float *restrict B, float *restrict C, int M, int W)
{
    auto row = program_id(0) * 8 + arange(0, 8);
    auto i = expand_dims(row, 1), w = expand_dims(row % W, 1), j = expand_dims(arange(0, 8), 0);
    float old = load(C + w * 8 + j, i < M);
    auto a = tile_load(view(A, M, 2), program_id(0) * 8, 0, 8, 2);
    store(C + i * 8 + j, dot(a, tile_load(view(B, 2, 8), 0, 0, 2, 8)) + old, i < M);
}
kernel void operand(const float *restrict B, float *restrict C, int M)
{
    auto c = view(C, M, 20);
    int m = program_id(0) * 8;
    tile_store(c, m, 0, dot(tile_load(c, m, 0, 8, 20), tile_load(view(B, 20, 20), 0, 0, 20, 20)));
}
---
run 1
C f32[8,8]
2 5 -3 4 4 0 -1 3
4 5 -3 0 5 5 -3 5
6 1 -2 4 8 4 1 3
0 -1 7 2 3 2 2 -1
-2 -1 8 5 -2 1 8 -3
-1 3 1 1 1 2 4 1
2 1 -2 5 2 3 1 2
3 -2 0 9 6 0 2 8
run 2
C f32[8,8]
3 5 -4 5 6 0 -1 4
6 6 -6 0 9 5 -4 7
9 0 -4 9 14 4 2 6
2 3 -1 8 4 0 1 3
3 2 1 5 3 5 0 4
7 1 -3 5 10 4 1 4
4 6 -6 4 8 0 -2 5
7 4 -5 5 11 5 -2 8
run 3
C f32[7,20]
2 -4 8 8 0 -4 1 -1 4 2 -4 8 8 0 -4 1 -1 4 2 -4
-4 2 -2 4 2 -4 6 8 0 -4 2 -2 4 2 -4 6 8 0 -4 2
-5 6 12 0 -6 2 -4 6 3 -5 6 12 0 -6 2 -4 6 3 -5 6
2 -2 4 2 -4 6 8 0 -4 2 -2 4 2 -4 6 8 0 -4 2 -2
7 8 0 -4 4 -2 4 2 -5 7 8 0 -4 4 -2 4 2 -5 7 8
-1 4 2 -4 8 8 0 -4 1 -1 4 2 -4 8 8 0 -4 1 -1 4
8 0 -6 2 -2 4 3 -5 6 8 0 -6 2 -2 4 3 -5 6 8 0
