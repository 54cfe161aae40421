// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = zeros(float, 4, 8);
    float b = dot(a, a);
    float c = dot(a, zeros(half, 8, 4));
    float d = dot(a, zeros(float, 8));
    float e = dot(a, trans(a), zeros(float, 4, 8));
    int f = dot(zeros(int, 4, 4), zeros(int, 4, 4));
}
---
dot.tile.c:5:15: error: 'dot' takes [M, K] and [K, N], not [4, 8] and [4, 8]
    float b = dot(a, a);
              ^~~~~~~~~
hint: dot(a, trans(b)) multiplies with the transpose
dot.tile.c:6:15: error: 'dot' of 'float [4, 8]' with 'half [8, 4]'
    float c = dot(a, zeros(half, 8, 4));
              ^~~~~~~~~~~~~~~~~~~~~~~~~
hint: both must have one element type: cast one of them
dot.tile.c:7:15: error: 'dot' takes [M, K] and [K, N], not [4, 8] and [8]
    float d = dot(a, zeros(float, 8));
              ^~~~~~~~~~~~~~~~~~~~~~~
hint: expand_dims(v, 0) makes a row, expand_dims(v, 1) a column
dot.tile.c:8:32: error: the sum must be [4, 4], as the product, not [4, 8]
    float e = dot(a, trans(a), zeros(float, 4, 8));
                               ^~~~~~~~~~~~~~~~~~
dot.tile.c:9:13: error: 'dot' does not take 'int [4, 4]'
    int f = dot(zeros(int, 4, 4), zeros(int, 4, 4));
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: it takes half, bfloat, float, double and int8_t
