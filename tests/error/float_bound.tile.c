// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    for (int j = 0; j < 2.5f; j++)
        store(Out + j, 1);
}
---
float_bound.tile.c:4:25: error: the bound of a 'for' loop must be an integer, not 'float'
    for (int j = 0; j < 2.5f; j++)
                        ^~~~
