// A tile that only broadcasting makes too large.
kernel void k(float *Out)
{
    float x = expand_dims(arange(0, 2048), 1) + expand_dims(arange(0, 1024), 0);
    store(Out, sum(x));
}
---
broadcast_elements.tile.c:4:15: error: a tile has at most 1048576 elements; this one is [2048, 1024]
    float x = expand_dims(arange(0, 2048), 1) + expand_dims(arange(0, 1024), 0);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
