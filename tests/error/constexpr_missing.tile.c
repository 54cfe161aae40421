// args: 
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, B);
}
---
constexpr_missing.tile.c:2:64: error: the constexpr parameter 'B' has no value
kernel void k(const float *X, float *Out, int n, constexpr int B)
                                                               ^
hint: give it with -D B=..., or list its values with tune
