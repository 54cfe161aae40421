// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    for (int j = 0; j < n; j += 0)
        store(Out + j, 1);
}
---
step_zero.tile.c:4:33: error: a step of 0 never ends
    for (int j = 0; j < n; j += 0)
                                ^
