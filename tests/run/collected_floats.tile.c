// Additions of floats are collected as those of integers are (src/cpu/collect.c), -0.0 and NaN included; elements
// beyond the table are added one by one.
// run: I=@i.npy A=@a.npy B=@b.npy n=60 --grid 40 --out A=sum.npy --out B=sums.npy
// run: I=@i.npy A=@a.npy B=@b.npy n=60 --grid 40 --threads 2 --out A=sum.npy --out B=sums.npy
// run: I=@i.npy A=@a.npy B=@b.npy n=60 --grid 40 --cpu generic --out A=sum.npy --out B=sums.npy
// run: I=@i.npy A=@a.npy B=@b.npy n=60 --grid 40 --cpu x86-64-v3 --out A=sum.npy --out B=sums.npy
// array i.npy i32[60]: 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 -1 -2 -3 -4 -5 -1 -2 -3 -4 -5 10 11 12 13 14 10 11 12 13 14 3 3 3 3 3 14 14 14 14 14
// array a.npy f32[17]: 0 1 -0 0.5 -3 0 0 0 inf 0 -0 0 0 0 nan -0 0
// array b.npy f64[17]: 0 1 -0 0.5 -3 0 0 0 -inf 0 -0 0 0 0 nan -0 1e300
kernel void k(const int *restrict I, float *restrict A, double *restrict B, int n)
{
    int i = arange(0, 512);
    int x = load(I + i, i < n, -100);
    atomic_add(A + x, where(x >= 10, -0.0f, 0.5f), x >= 0);
    int far = where(program_id(0) % 2 == 0, 100000, -100000);
    atomic_add(B + far + (x - far), where(x == 2, -0.0, 1.25), x >= 0);
}
---
run 1
A f32[17]
60 61 60 160.5 57 60 60 60 inf 60 -0 0 0 0 nan -0 0
B f64[17]
150 151 -0 400.5 147 150 150 150 -inf 150 100 100 100 100 nan -0 1.0000000000000001e+300
run 2
A f32[17]
60 61 60 160.5 57 60 60 60 inf 60 -0 0 0 0 nan -0 0
B f64[17]
150 151 -0 400.5 147 150 150 150 -inf 150 100 100 100 100 nan -0 1.0000000000000001e+300
run 3
A f32[17]
60 61 60 160.5 57 60 60 60 inf 60 -0 0 0 0 nan -0 0
B f64[17]
150 151 -0 400.5 147 150 150 150 -inf 150 100 100 100 100 nan -0 1.0000000000000001e+300
run 4
A f32[17]
60 61 60 160.5 57 60 60 60 inf 60 -0 0 0 0 nan -0 0
B f64[17]
150 151 -0 400.5 147 150 150 150 -inf 150 100 100 100 100 nan -0 1.0000000000000001e+300
