// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int a = (int)X;
}
---
cast_pointer_value.tile.c:4:13: error: only numbers are cast, and only to numbers
    int a = (int)X;
            ^~~~~~
