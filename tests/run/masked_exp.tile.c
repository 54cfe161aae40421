// Exponentials where masks fail: the CPU chooses the zeros of what is too small for a float there, and nothing else.
// run: :k X=new:f32[32] Out=new:i32[32] n=32 --grid 1 --out Out=out.npy
// run: :k X=new:f32[32] Out=new:i32[32] n=13 --grid 1 --out Out=out.npy
// run: :k X=new:f32[32] Out=new:i32[32] n=0 --grid 1 --out Out=out.npy
kernel void k(float *X, int *Out, int n)
{
    int i = arange(0, 32);
    int j = i & 7;
    float small = where(j == 0, 0.0f, where(j == 1, -INFINITY, where(j == 2, -104.5f, -103.5f)));
    float large = where(j == 4, NAN, where(j == 5, INFINITY, where(j == 6, -1000.0f, 1000.0f)));
    store(X + i, where(j < 4, small, large));
    float e = exp(load(X + i, i < n, -INFINITY));
    store(Out + i, where(isnan(e), -1, bitcast(int, e)));
}
---
run 1
Out i32[32]
1065353216 0 0 1 -1 2139095040 0 2139095040 1065353216 0 0 1 -1 2139095040 0 2139095040 1065353216 0 0 1 -1 2139095040 0 2139095040 1065353216 0 0 1 -1 2139095040 0 2139095040
run 2
Out i32[32]
1065353216 0 0 1 -1 2139095040 0 2139095040 1065353216 0 0 1 -1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
run 3
Out i32[32]
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
