// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, exq(n) + maxmum(n, 2) + frobnicate(n));
}
---
unknown_function.tile.c:4:16: error: unknown function 'exq'
    store(Out, exq(n) + maxmum(n, 2) + frobnicate(n));
               ^~~
hint: did you mean 'exp'?
unknown_function.tile.c:4:25: error: unknown function 'maxmum'
    store(Out, exq(n) + maxmum(n, 2) + frobnicate(n));
                        ^~~~~~
hint: did you mean 'maximum'?
unknown_function.tile.c:4:40: error: unknown function 'frobnicate'
    store(Out, exq(n) + maxmum(n, 2) + frobnicate(n));
                                       ^~~~~~~~~~
