// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    bool b = ~(n > 1);
    b = ~b;
}
---
complement_bool.tile.c:4:14: error: '~' on a bool
    bool b = ~(n > 1);
             ^
hint: write '!' to negate a condition
