// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 2048, 1) + zeros(float, 1, 1024);
}
---
too_many_elements.tile.c:4:15: error: a tile has at most 1048576 elements; this one is [2048, 1024]
    float x = zeros(float, 2048, 1) + zeros(float, 1, 1024);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
