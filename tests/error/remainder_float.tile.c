// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = X[0] % 2;
}
---
remainder_float.tile.c:4:20: error: '%' takes integers, not 'float'
    float x = X[0] % 2;
                   ^
hint: fmod(x, y) is the remainder of floats
