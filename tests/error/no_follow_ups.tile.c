// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = load(X + nothing());
    float y = exp(x) + x;
    for (int i = 0; i < n; i++)
        y += x;
    if (y > 0)
        store(Out, y);
}
---
no_follow_ups.tile.c:4:24: error: unknown function 'nothing'
    float x = load(X + nothing());
                       ^~~~~~~
