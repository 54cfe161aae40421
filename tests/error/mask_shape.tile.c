// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = load(X + arange(0, 4), arange(0, 8) < n);
}
---
mask_shape.tile.c:4:15: error: shapes [4] and [8] do not match
    float x = load(X + arange(0, 4), arange(0, 8) < n);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
