// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4, 8);
    float a = sum(x, axis(2));
    float b = sum(x, axis(-1));
    float c = sum(x, axis(n));
    float d = sum(x, axis(0), axis(1));
    float e = sum(x, axis());
    float f = sum(n, axis(0));
}
---
axis_range.tile.c:5:22: error: no axis 2: this is [4, 8]
    float a = sum(x, axis(2));
                     ^~~~~~~
axis_range.tile.c:6:22: error: no axis -1: this is [4, 8]
    float b = sum(x, axis(-1));
                     ^~~~~~~~
hint: the last axis is axis(1)
axis_range.tile.c:7:27: error: 'axis' of 'sum' must be an integer known at compile time
    float c = sum(x, axis(n));
                          ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
axis_range.tile.c:8:31: error: 'axis' of 'sum' is given twice
    float d = sum(x, axis(0), axis(1));
                              ^~~~~~~
axis_range.tile.c:9:22: error: 'axis' takes one axis: axis(0)
    float e = sum(x, axis());
                     ^~~~~~
axis_range.tile.c:10:22: error: no axis 0: this is a scalar
    float f = sum(n, axis(0));
                     ^~~~~~~
