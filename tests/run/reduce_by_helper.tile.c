// reduce goes by a helper in row-major order, over everything or along one axis, for every type.
// run: :ints X=@x.npy Out=new:i32[21] --grid 1 --out Out=out.npy
// run: :others F=@f.npy Out=new:f32[4] --grid 1 --out Out=out.npy
// array x.npy i32[6,4]: 1 2 4 8 16 32 64 128 0 0 0 1 -8 3 3 3 1 1 1 1 7 5 1 256
// array f.npy f32[7]: 1.5 nan -0.0 2.5 nan -3 nan
static int bit_or(int a, int b)
{
    return a | b;
}
static int first_of(int a, int b)
{
    return where(a != 0, a, b);
}
static float latest(float a, float b)
{
    return where(isnan(b), a, b);
}
static bool differs(bool a, bool b)
{
    return a ^ b;
}
static int8_t wrapped(int8_t a, int8_t b)
{
    return a + b;
}
kernel void ints(const int *X, int *Out)
{
    int i = expand_dims(arange(0, 6), 1) * 4 + expand_dims(arange(0, 4), 0);
    int x = load(X + i);
    store(Out, reduce(bit_or, x));
    store(Out + 1 + arange(0, 4), reduce(first_of, x, axis(0)));
    store(Out + 5 + arange(0, 6), reduce(first_of, x, axis(1)));
    store(Out + 11 + expand_dims(arange(0, 6), 1), reduce(bit_or, x, axis(1), keep));
    store(Out + 17 + expand_dims(zeros(int, 1), 0), reduce(first_of, x - 1, keep));
    store(Out + 18, reduce(bit_or, 5));
    store(Out + 19, reduce(differs, x > 1));
    store(Out + 20, reduce(wrapped, (int8_t)(x * 9)));
}
kernel void others(const float *F, float *Out)
{
    float f = load(F + arange(0, 7));
    store(Out, reduce(latest, f));
    store(Out + 1, reduce(latest, (half)f));
    store(Out + 2, reduce(latest, (double)f));
    store(Out + 3, reduce(latest, f * 0.0f));
}
---
run 1
Out i32[21]
-1 1 2 4 8 1 16 1 -8 1 7 15 240 1 -5 1 263 1 5 1 -94
run 2
Out f32[4]
-3 -3 -3 -0
