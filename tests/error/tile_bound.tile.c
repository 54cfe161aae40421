// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int i = arange(0, B);
    for (int j = 0; j < i; j++)
        store(Out + j, 1);
}
---
tile_bound.tile.c:5:25: error: the bound of a 'for' loop must be one number; this is [4]
    for (int j = 0; j < i; j++)
                        ^
hint: max(x) or min(x) makes a tile one number
