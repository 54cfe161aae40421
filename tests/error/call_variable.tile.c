// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int f = 1;
    store(Out, f(2));
}
---
call_variable.tile.c:5:16: error: 'f' is not a function
    store(Out, f(2));
               ^
