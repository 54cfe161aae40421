// args: -D B=4
launch_grid(k, cdiv(m, B), 1.5f);
tune(k, B, next_pow2(N));
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, 1);
}
---
launch_names.tile.c:2:21: error: unknown name 'm'
launch_grid(k, cdiv(m, B), 1.5f);
                    ^
launch_names.tile.c:3:22: error: unknown name 'N'
tune(k, B, next_pow2(N));
                     ^
hint: did you mean 'n'?
