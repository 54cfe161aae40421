// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4) + zeros(float, 8);
    float y = zeros(float, 4) * zeros(float, 4, 4);
}
---
shapes.tile.c:4:15: error: shapes [4] and [8] do not match
    float x = zeros(float, 4) + zeros(float, 8);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
shapes.tile.c:5:15: error: shapes [4] and [4, 4] do not match
    float y = zeros(float, 4) * zeros(float, 4, 4);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: expand_dims(v, axis) gives a tile a further axis of 1, which broadcasts
