// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = X[0];
    int a = x & 1;
    int b = ~x;
    int c = x << 1;
}
---
bits_of_float.tile.c:5:15: error: '&' takes integers, not 'float'
    int a = x & 1;
              ^
hint: bitcast(int, x) gives the bits of a float
bits_of_float.tile.c:6:13: error: '~' takes integers, not 'float'
    int b = ~x;
            ^
hint: bitcast(int, x) gives the bits of a float
bits_of_float.tile.c:7:15: error: '<<' takes integers, not 'float'
    int c = x << 1;
              ^~
hint: bitcast(int, x) gives the bits of a float
