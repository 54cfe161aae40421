// Weights that every program converts alike, and an array that each program changes first.
// run: W=@w.npy V=new:f16[3,5] Out=new:f32[3,5] Again=new:f32[3,5] rows=3 N=5 --out Out=out.npy --out Again=again.npy
// array w.npy f16[5]: 1 2 -0.5 4 bits:0x0001
launch_grid(k, rows);

kernel void k(const half *W, half *restrict V, float *restrict Out, float *restrict Again, int rows,
              int N)
{
    int row = program_id(0), col = arange(0, 8);
    float weights = load(W + col, col < N);
    store(V + row * N + col, cast(half, row + col), col < N);
    float own = load(V + row * N + col, col < N);
    float first = load(V + col, (col < N) & (row == 0));
    store(Out + row * N + col, weights * 0x1p24f + row, col < N);
    store(Again + row * N + col, first * 100 + own, col < N);
}
---
run 1
Out f32[3,5]
16777216 33554432 -8388608 67108864 1
16777216 33554432 -8388607 67108864 2
16777218 33554432 -8388606 67108864 3
Again f32[3,5]
0 101 202 303 404
1 2 3 4 5
2 3 4 5 6
