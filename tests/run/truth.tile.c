// What is true: everything but zero, NaN and fractions included; bool is 0 or 1.
// run: X=@x.npy Out=new:i32[6] n=0 --grid 1 --out Out=out.npy
// run: X=@x.npy Out=new:i32[6] n=-3 --grid 1 --out Out=out.npy
// array x.npy f32[6]: 0.3 nan -0 0 inf 1e-45
kernel void k(const float *X, int *Out, int n)
{
    int i = arange(0, 6);
    bool x = load(X + i);
    bool y = n;
    store(Out + i, x * 2 + (y && !x) + where(load(X + i), 10, 20));
}
---
run 1
Out i32[6]
12 12 20 20 12 12
run 2
Out i32[6]
12 12 21 21 12 12
