// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    if (n > 1)
        break;
    continue;
}
---
break_outside.tile.c:5:9: error: 'break' outside of a loop
        break;
        ^~~~~~
break_outside.tile.c:6:5: error: 'continue' outside of a loop
    continue;
    ^~~~~~~~~
