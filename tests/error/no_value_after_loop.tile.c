// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float t;
    for (int i = 0; i < n; i++)
        t = X[i];
    store(Out, t);
}
---
no_value_after_loop.tile.c:7:16: error: 't' is used where it may have no value yet
    store(Out, t);
               ^
hint: give 't' a value where it is declared
