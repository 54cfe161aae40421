// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    if (B == 5)
        store(Out, nothing);
    else
        store(Out, 1);
}
---
unknown_in_untaken.tile.c:5:20: error: unknown name 'nothing'
        store(Out, nothing);
                   ^~~~~~~
