// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4, 8);
    float a = sum(x, 1);
    float b = max(x, B);
    float c = cumsum(x, 0);
}
---
axis_bare.tile.c:5:22: error: an axis of 'sum' is named
    float a = sum(x, 1);
                     ^
hint: write axis(1)
axis_bare.tile.c:6:22: error: an axis of 'max' is named
    float b = max(x, B);
                     ^
hint: maximum(x, y) compares two values; an axis is written axis(...)
axis_bare.tile.c:7:25: error: an axis of 'cumsum' is named
    float c = cumsum(x, 0);
                        ^
hint: write axis(0)
