// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4, 8);
    int i = arange(0, 4);
    float a = gather(x, i, axis(0));
    float b = gather(x, expand_dims(i, 1));
    float c = gather(x, x, axis(0));
    float d = gather(x, expand_dims(i, 1), 0);
}
---
gather.tile.c:6:15: error: the index must have x's shape but for axis 0; these are [4] and [4, 8]
    float a = gather(x, i, axis(0));
              ^~~~~~~~~~~~~~~~~~~~~
gather.tile.c:7:15: error: 'gather' of [4, 8] needs an axis
    float b = gather(x, expand_dims(i, 1));
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: name it: axis(1)
gather.tile.c:8:25: error: 'index' of 'gather' must be an integer, not 'float [4, 8]'
    float c = gather(x, x, axis(0));
                        ^
gather.tile.c:9:44: error: an axis of 'gather' is named
    float d = gather(x, expand_dims(i, 1), 0);
                                           ^
hint: write axis(0)
