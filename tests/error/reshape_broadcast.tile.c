// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4);
    float a = reshape(x, 5);
    float b = broadcast_to(x, 8);
    float c = broadcast_to(x, 4, 4);
}
---
reshape_broadcast.tile.c:5:15: error: [4] has 4 elements, and [5] has 5
    float a = reshape(x, 5);
              ^~~~~~~~~~~~~
hint: reshape keeps all elements; broadcast_to repeats them
reshape_broadcast.tile.c:6:15: error: [4] does not broadcast to [8]
    float b = broadcast_to(x, 8);
              ^~~~~~~~~~~~~~~~~~
hint: only axes of 1 are repeated
reshape_broadcast.tile.c:7:15: error: [4] does not broadcast to [4, 4]
    float c = broadcast_to(x, 4, 4);
              ^~~~~~~~~~~~~~~~~~~~~
hint: expand_dims(x, axis) inserts an axis of 1
