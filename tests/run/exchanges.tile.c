// Loads at i ^ j (src/cpu/exchange.c): steps of a sorting network in place, by partners within a vector and beyond
// it, with rows that do not begin at a vector; other types; a partner in front of the array's start.
// run: :in_order X=@x.npy n=64 --out X=sorted.npy
// run: :in_order X=@x.npy n=64 --cpu x86-64-v3 --out X=sorted.npy
// run: :in_order X=@x.npy n=64 --cpu generic --out X=sorted.npy
// run: :types X=rand:i16[200]:1 D=rand:f64[200]:2 Out=new:i32[24] --out Out=out.npy
// run: :types X=rand:i16[200]:1 D=rand:f64[200]:2 Out=new:i32[24] --cpu x86-64-v3 --out Out=out.npy
// array x.npy f32[64]: 31 7 -3 12 64 -0 0 5 5 -9 100 3 17 18 1 2 -50 42 8 8 9 -inf 6 inf 30 29 28 27 26 25 24 23 -1 -2 -4 -8 -16 -32 -64 -128 40 41 43 44 45 46 47 48 0.5 0.25 0.125 1.5 2.5 3.5 4.5 5.5 -0.5 -0.25 70 71 72 73 74 75
launch_grid(in_order, 1);
kernel void in_order(float *X, int n)
{
    int i = arange(0, 64);
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int p = i ^ j;
            float a = load(X + i), b = load(X + p);
            store(X + i, where((i < p) == ((i & k) == 0), minimum(a, b), maximum(a, b)));
        }
}
launch_grid(types, 1);
kernel void types(const int16_t *restrict X, const double *restrict D, int *restrict Out)
{
    int i = arange(0, 100);
    for (int j = 0; j < 24; j++) {
        int at = i + 3; // no multiple of a vector's length
        int low = sum(where(i < 90, load(X + (i ^ j)) * (i + 1), 0));
        double far = sum(load(D + 50 + ((at - 10) ^ (j & 7)), i >= 7) * (i + 1));
        float high = sum(load(X + 36 + (i ^ (j - 128)) + 128, i < 64));
        store(Out + j, low + cast(int, far * 100) + 31 * cast(int, high));
    }
}
---
run 1
X f32[64]
-inf -128 -64 -50 -32 -16 -9 -8 -4 -3 -2 -1 -0.5 -0.25 -0 0 0.125 0.25 0.5 1 1.5 2 2.5 3 3.5 4.5 5 5 5.5 6 7 8 8 9 12 17 18 23 24 25 26 27 28 29 30 31 40 41 42 43 44 45 46 47 48 64 70 71 72 73 74 75 100 inf
run 2
X f32[64]
-inf -128 -64 -50 -32 -16 -9 -8 -4 -3 -2 -1 -0.5 -0.25 -0 0 0.125 0.25 0.5 1 1.5 2 2.5 3 3.5 4.5 5 5 5.5 6 7 8 8 9 12 17 18 23 24 25 26 27 28 29 30 31 40 41 42 43 44 45 46 47 48 64 70 71 72 73 74 75 100 inf
run 3
X f32[64]
-inf -128 -64 -50 -32 -16 -9 -8 -4 -3 -2 -1 -0.5 -0.25 -0 0 0.125 0.25 0.5 1 1.5 2 2.5 3 3.5 4.5 5 5 5.5 6 7 8 8 9 12 17 18 23 24 25 26 27 28 29 30 31 40 41 42 43 44 45 46 47 48 64 70 71 72 73 74 75 100 inf
run 4
Out i32[24]
22426 31817 13704 38051 26422 13785 18469 30227 2893 12035 -7793 16242 12185 -696 760 12363 -1193 8295 -26045 -1673 14505 1756 3290 15083
run 5
Out i32[24]
22426 31817 13704 38051 26422 13785 18469 30227 2893 12035 -7793 16242 12185 -696 760 12363 -1193 8295 -26045 -1673 14505 1756 3290 15083
