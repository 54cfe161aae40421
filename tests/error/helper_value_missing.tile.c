// args: -D B=4
static int f(int x)
{
    return;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, f(n));
}
---
helper_value_missing.tile.c:4:5: error: 'f' returns a value
    return;
    ^~~~~~~
helper_value_missing.tile.c:8:16: note: 'f' is called here
    store(Out, f(n));
               ^~~~
