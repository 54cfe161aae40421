// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    const int c = 1;
    constexpr int D = 2;
    c = 2;
    D = 3;
    B = 4;
}
---
assign_constant.tile.c:6:5: error: 'c' is constant
    c = 2;
    ^
assign_constant.tile.c:7:5: error: 'D' is constant
    D = 3;
    ^
assign_constant.tile.c:8:5: error: 'B' is constant
    B = 4;
    ^
