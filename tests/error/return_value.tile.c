// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    return 1;
}
---
return_value.tile.c:4:12: error: 'k' returns nothing
    return 1;
           ^
hint: a kernel stores its results
