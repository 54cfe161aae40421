// args: -D B=4
static void f(int x)
{
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = f(n);
    store(Out, f(n) + x);
}
---
helper_returns_nothing.tile.c:7:15: error: 'x' takes a value, and this call returns nothing
    float x = f(n);
              ^~~~
