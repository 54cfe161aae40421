// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int a = "text" + 1;
}
---
text_value.tile.c:4:13: error: a text can only be an argument of a function
    int a = "text" + 1;
            ^~~~~~
hint: texts are for tile_assert, tile_print and the requirements
