// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = zeros(64);
    float b = zeros(float);
    float c = zeros(float, 0);
    float d = zeros(float, 2048, 1024);
    float e = full(float, zeros(float, 4), 4);
    float f = zeros(float, 1, 1, 1, 1, 1, 1, 1);
    float g = zeros(float, n);
}
---
full_zeros.tile.c:4:21: error: 'type' of 'zeros' must be an element type, such as float
    float a = zeros(64);
                    ^~
hint: write zeros(float, ...)
full_zeros.tile.c:5:15: error: 'sizes' of 'zeros' is missing
    float b = zeros(float);
              ^~~~~~~~~~~~
hint: zeros(type type, size sizes...)
full_zeros.tile.c:6:28: error: a size must be from 1 to 1048576, not 0
    float c = zeros(float, 0);
                           ^
full_zeros.tile.c:7:15: error: a tile has at most 1048576 elements; this one is [2048, 1024]
    float d = zeros(float, 2048, 1024);
              ^~~~~~~~~~~~~~~~~~~~~~~~
full_zeros.tile.c:8:27: error: 'full' repeats a scalar, not [4]
    float e = full(float, zeros(float, 4), 4);
                          ^~~~~~~~~~~~~~~
hint: broadcast_to(x, sizes...) repeats axes of 1
full_zeros.tile.c:9:15: error: a tile has at most 6 axes, not 7
    float f = zeros(float, 1, 1, 1, 1, 1, 1, 1);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
full_zeros.tile.c:10:28: error: 'sizes' of 'zeros' must be an integer known at compile time
    float g = zeros(float, n);
                           ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
