// args: -D B=4
static void f(int x)
{
    return x;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    f(n);
}
---
helper_void_value.tile.c:4:12: error: 'f' returns nothing
    return x;
           ^
helper_void_value.tile.c:8:5: note: 'f' is called here
    f(n);
    ^~~~
