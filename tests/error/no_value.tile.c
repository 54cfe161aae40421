// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x;
    store(Out, x);
    float y;
    if (n > 1)
        y = 2;
    store(Out, y);
}
---
no_value.tile.c:5:16: error: 'x' is used where it may have no value yet
    store(Out, x);
               ^
hint: give 'x' a value where it is declared
no_value.tile.c:9:16: error: 'y' is used where it may have no value yet
    store(Out, y);
               ^
hint: give 'y' a value where it is declared
