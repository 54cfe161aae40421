// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4);
    float a = expand_dims(x, 2);
    float b = expand_dims(x, -1);
    float c = expand_dims(x);
    float d = expand_dims(x, 0, 0, 0, 0, 0, 0);
}
---
expand_dims.tile.c:5:30: error: no axis 2 to insert before: this is [4]
    float a = expand_dims(x, 2);
                             ^
expand_dims.tile.c:6:30: error: no axis -1 to insert before: this is [4]
    float b = expand_dims(x, -1);
                             ^~
expand_dims.tile.c:7:15: error: 'axes' of 'expand_dims' is missing
    float c = expand_dims(x);
              ^~~~~~~~~~~~~~
hint: expand_dims(number x, constant axes...)
expand_dims.tile.c:8:15: error: a tile has at most 6 axes
    float d = expand_dims(x, 0, 0, 0, 0, 0, 0);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
