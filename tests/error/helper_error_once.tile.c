// args: -D B=4
static float f(float x)
{
    return x % 2;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, f(n) + f(n + 1) + f(2));
}
---
helper_error_once.tile.c:4:14: error: '%' takes integers, not 'float'
    return x % 2;
             ^
hint: fmod(x, y) is the remainder of floats
helper_error_once.tile.c:8:16: note: 'f' is called here
    store(Out, f(n) + f(n + 1) + f(2));
               ^~~~
