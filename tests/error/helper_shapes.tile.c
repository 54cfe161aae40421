// args: -D B=4
static auto f(int x)
{
    if (x > 0)
        return zeros(float, 4);
    return zeros(float, 8);
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = f(n);
}
---
helper_shapes.tile.c:6:5: error: 'f' returns 'float [8]' on one path and 'float [4]' on another
    return zeros(float, 8);
    ^~~~~~~~~~~~~~~~~~~~~~~
helper_shapes.tile.c:10:15: note: 'f' is called here
    float x = f(n);
              ^~~~
