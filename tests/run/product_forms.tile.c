// Products that differ from the usual one in a single place, where they are another product, or none.
// run: :usual A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :up_to A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :from_only A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :ones_both A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :from A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :from_column A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :but_one A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :triangle A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :guarded A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :guarded A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=3 --grid 2,2 --out C=o.npy
// run: :by_program A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :two_limits A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=5 --grid 2,2 --out C=o.npy
// run: :ones_beyond A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :ones_beyond_b A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :fewer_rows A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=2 --grid 2,2 --out C=o.npy
// run: :fewer_columns A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=5 --grid 2,2 --out C=o.npy
// run: :shorter_a A=@a.npy B=@i.npy C=@c.npy M=3 N=6 K=3 p=2 --grid 2,2 --out C=o.npy
// run: :shorter_aoth A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=2 --grid 2,2 --out C=o.npy
// run: :guarded_a A=@a.npy B=@i.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :guarded_both A=@a.npy B=@i.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :wrapped A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=2 --grid 2,2 --out C=o.npy
// run: :wrapped_b A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=5 --grid 2,2 --out C=o.npy
// run: :twice A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :changed A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :beside A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,1 --out C=o.npy
// run: :started A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :view_below A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :depth_below A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,2 --out C=o.npy
// run: :one_block A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=0 --grid 1,2 --out C=o.npy
// run: :row_above A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=0 --grid 1,2 --out C=o.npy
// run: :two_strides A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=0 --grid 2,2 --out C=o.npy
// run: :moved A=@a.npy B=@b.npy C=@c.npy M=3 N=6 K=3 p=1 --grid 2,1 --out C=o.npy
// array a.npy f32[5,4]: 1 2 -1 0 3 1 -2
// array b.npy f32[4,8]: 1 0 2 -1 1 3 0 -2 2
// array c.npy f32[6,8]: 50 60 70
// array i.npy f32[4,8]: 1 0 2 3 1 -1 0 -2 2 1 0 2 1 1 2 0 -2 inf 1 nan 2 0 1 0
#include <tilec/kernel.h>
#define KERNEL(NAME, LOAD_A, LOAD_B, STORE)                                                        \
    kernel void NAME(const float *restrict A, const float *restrict B, float *restrict C, int M,   \
                     int N, int K, int p)                                                          \
    {                                                                                              \
        auto I = program_id(0) * 2 + arange(0, 2), J = program_id(1) * 4 + arange(0, 4);           \
        auto i = expand_dims(I, 1), j = expand_dims(J, 0);                                         \
        auto u = expand_dims(arange(0, 4), 0), v = expand_dims(arange(0, 4), 1);                   \
        float a = LOAD_A, b = LOAD_B;                                                              \
        STORE;                                                                                     \
    }
#define A_OF(ROW, ...) load(A + (ROW) * 4 + u, __VA_ARGS__)
#define B_OF(COLUMN, ...) load(B + v * 8 + (COLUMN), __VA_ARGS__)
#define A_USUAL A_OF(i, i < M && u < K)
#define B_USUAL B_OF(j, v < K && j < N)
#define TO(X, ...) store(C + i * 8 + j, X, __VA_ARGS__)
KERNEL(usual, A_USUAL, B_USUAL, TO(dot(a, b), i < M && j < N))
KERNEL(up_to, A_OF(i, i <= M - 1 && u <= K - 1), B_OF(j, K - 1 >= v && j < N),
       TO(dot(a, b), M - 1 >= i && j < N))
KERNEL(from_only, A_OF(i, i >= p && u < K), B_USUAL, TO(dot(a, b), i >= p && j < N))
KERNEL(ones_both, A_OF(i, i < M && u < K, 1), B_OF(j, v < K && j < N, 1), TO(dot(a, b), i < M && j < N))
KERNEL(from, A_USUAL, B_USUAL, TO(dot(a, b), i >= p && i < M && j < N))
KERNEL(from_column, A_USUAL, B_USUAL, TO(dot(a, b), p < j && i < M && j < N))
KERNEL(but_one, A_USUAL, B_USUAL, TO(dot(a, b), i != p && i < M && j < N))
KERNEL(triangle, A_USUAL, B_USUAL, TO(dot(a, b), i <= j && i < M && j < N))
KERNEL(guarded, A_USUAL, B_USUAL, TO(dot(a, b), p > 2 && i < M && j < N))
KERNEL(by_program, A_USUAL, B_USUAL, TO(dot(a, b), program_id(1) < 1 && i < M && j < N))
KERNEL(two_limits, A_USUAL, B_USUAL, TO(dot(a, b), j < p && i < M && j < N))
KERNEL(ones_beyond, A_OF(i, i < M && u < 2, 1), B_OF(j, v < 2 && j < N), TO(dot(a, b), i < M && j < N))
KERNEL(ones_beyond_b, A_OF(i, i < M && u < 2), B_OF(j, v < K && j < N, 1), TO(dot(a, b), i < M && j < N))
KERNEL(fewer_rows, A_OF(i, i < p && u < K), B_USUAL, TO(dot(a, b), i < M && j < N))
KERNEL(fewer_columns, A_USUAL, B_OF(j, v < K && j < p), TO(dot(a, b), i < M && j < N))
KERNEL(shorter_a, A_OF(i, i < M && u < p), B_USUAL, TO(dot(a, b), i < M && j < N))
KERNEL(shorter_aoth, A_OF(i, i < M && u < p), B_OF(j, v < p && j < N), TO(dot(a, b), i < M && j < N))
KERNEL(guarded_a, A_OF(i, i < M && u < K && p > 2), B_USUAL, TO(dot(a, b), i < M && j < N))
KERNEL(guarded_both, A_OF(i, i < M && u < K && p > 2), B_OF(j, v < K && j < N && p > 2),
       TO(dot(a, b), i < M && j < N))
KERNEL(wrapped, A_OF(expand_dims(I % p, 1), u < K), B_USUAL, TO(dot(a, b), i < M && j < N))
KERNEL(wrapped_b, A_USUAL, B_OF(expand_dims(J % p, 0), v < K), TO(dot(a, b), i < M && j < N))
KERNEL(twice, A_USUAL, B_USUAL, TO(dot(a, b), i < M && j < N);
       store(C + 8 + i * 8 + j, 7, i + 1 >= M && i < M && j < N))
KERNEL(changed, A_USUAL, B_USUAL, float c = dot(a, b); TO(c, i < M && j < N);
       TO(c + load(C + i * 8 + j, i < M && j < N), i < M && j < N))
KERNEL(beside, A_USUAL, B_USUAL, float c = load(C + i * 8 + (3 - j), i < M && j < 4);
       TO(dot(a, b) + c, i < M && j < 4))
KERNEL(started, A_USUAL, B_USUAL, TO(dot(a, b, load(B + i * 8 + j) + 5), i < M && j < N))
KERNEL(view_below, A_OF(i, i < M + 1 && u < K), B_OF(j, v < K && j < 8),
       tile_store(view(C + 8, M, 8), program_id(0) * 2 - 1, program_id(1) * 4, dot(a, b)))
KERNEL(depth_below, tile_load(view_strided(A + 1, M, K - 1, 4, 1), program_id(0) * 2, -1, 2, 4),
       tile_load(view(B, K, N), 0, program_id(1) * 4, 4, 4), TO(dot(a, b), i < M && j < N))
KERNEL(one_block, A_OF(v, v >= p && u < K), B_USUAL, store(C + v * 8 + j, dot(a, b), v >= p && j < N))
KERNEL(row_above, A_OF(v, u < K), B_USUAL, float c = load(C + v * 8 + j, j < N);
       store(C + 8 + v * 8 + j, dot(a, b) + c, j < N))
KERNEL(two_strides, 0, 0, float s = zeros(float, 2, 4);
       for (int k = 0; k < K; k += 4) {
           auto x = load(A + i * 4 + k + u, i < M && k + u < K);
           s = dot(x, load(B + (k + v) * 8 + j, k + v < K && j < N), s);
           s = dot(x, load(B + j * 4 + k + v, k + v < K && j < N), s);
       } TO(s, i < M && j < N))
KERNEL(moved, A_USUAL, B_OF(j + 3 * program_id(0), v < K && j < N), TO(dot(a, b), i < M && j < 4))
---
run 1
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 2
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 3
C f32[6,8]
50 60 70 50 60 70 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
-5 0 3 -5 5 0 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 4
C f32[6,8]
8 1 2 4 -2 7 50 60
10 -2 5 0 -1 13 70 50
1 0 5 -3 4 6 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 5
C f32[6,8]
50 60 70 50 60 70 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 6
C f32[6,8]
50 60 1 3 -3 6 50 60
70 50 4 -1 -2 12 70 50
60 70 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 7
C f32[6,8]
7 0 1 3 -3 6 50 60
70 50 60 70 50 60 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 8
C f32[6,8]
7 0 1 3 -3 6 50 60
70 -3 4 -1 -2 12 70 50
60 70 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 9
C f32[6,8]
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 10
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 11
C f32[6,8]
7 0 1 3 60 70 50 60
9 -3 4 -1 50 60 70 50
0 -1 4 -4 70 50 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 12
C f32[6,8]
7 0 1 3 -3 70 50 60
9 -3 4 -1 -2 60 70 50
0 -1 4 -4 3 50 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 13
C f32[6,8]
5 2 2 3 -1 5 50 60
5 1 6 -1 2 10 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 14
C f32[6,8]
5 2 2 3 -1 5 50 60
5 1 6 -1 2 10 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 15
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 0 0 0 0 0 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 16
C f32[6,8]
7 0 1 3 -3 0 50 60
9 -3 4 -1 -2 0 70 50
0 -1 4 -4 3 0 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 17
C f32[6,8]
5 nan 2 nan 3 1 50 60
5 nan 6 nan 4 -2 70 50
0 nan 4 nan 1 -3 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 18
C f32[6,8]
5 2 2 3 -1 5 50 60
5 1 6 -1 2 10 70 50
0 -1 4 -4 3 5 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 19
C f32[6,8]
0 nan 0 nan 0 0 50 60
0 nan 0 nan 0 0 70 50
0 nan 0 nan 0 0 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 20
C f32[6,8]
0 0 0 0 0 0 50 60
0 0 0 0 0 0 70 50
0 0 0 0 0 0 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 21
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
7 0 1 3 -3 6 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 22
C f32[6,8]
7 0 1 3 -3 7 50 60
9 -3 4 -1 -2 9 70 50
0 -1 4 -4 3 0 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 23
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
7 7 7 7 7 7 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 24
C f32[6,8]
14 0 2 6 -6 12 50 60
18 -6 8 -2 -4 24 70 50
0 -2 8 -8 6 10 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 25
C f32[6,8]
57 70 61 53 60 70 50 60
79 57 54 69 50 60 70 50
60 49 74 56 70 50 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 26
C f32[6,8]
13 5 8 7 3 14 50 60
16 3 9 6 2 18 70 50
3 6 10 1 10 9 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 27
C f32[6,8]
50 60 70 50 60 70 50 60
9 -3 4 -1 -2 12 1 -12
0 -1 4 -4 3 5 -3 -4
-5 0 3 -5 5 0 -5 1
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 28
C f32[6,8]
1 -5 1 2 2 2 50 60
2 -4 -4 1 4 -2 70 50
0 2 -2 -1 0 -2 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 29
C f32[6,8]
7 0 1 3 -3 6 50 60
9 -3 4 -1 -2 12 70 50
0 -1 4 -4 3 5 60 70
-5 0 3 -5 5 0 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 30
C f32[6,8]
50 60 70 50 60 70 50 60
57 60 71 53 57 76 70 50
79 47 64 69 48 72 60 70
60 69 54 56 73 55 50 60
45 60 73 45 65 70 70 50
60 70 50 60 70 50 60 70
run 31
C f32[6,8]
6 7 5 1 -2 5 50 60
8 3 11 -9 -8 15 70 50
2 -2 7 -7 -3 10 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
run 32
C f32[6,8]
7 0 1 3 60 70 50 60
9 -3 4 -1 50 60 70 50
-4 3 5 -3 70 50 60 70
50 60 70 50 60 70 50 60
70 50 60 70 50 60 70 50
60 70 50 60 70 50 60 70
