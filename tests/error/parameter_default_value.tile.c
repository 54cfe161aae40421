// The rest is checked with the default as the value.
static float f(float x = 1.0f)
{
    return x + 1;
}
kernel void k(const float *X, float *Out, int n, constexpr int BLOCK = 128)
{
    int i = arange(0, BLOCK);
    float x = load(X + i, i < n);
    store(Out + arange(0, BLOCK / 2), f(x));
}
---
parameter_default_value.tile.c:2:24: error: a parameter cannot have a default
static float f(float x = 1.0f)
                       ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default_value.tile.c:6:70: error: a parameter cannot have a default
kernel void k(const float *X, float *Out, int n, constexpr int BLOCK = 128)
                                                                     ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default_value.tile.c:10:5: error: shapes [64] and [128] do not match
    store(Out + arange(0, BLOCK / 2), f(x));
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
