launch_grid(k, 1);
tune(k, BLOCK, next_pow2(n));
kernel void k(int *X, int n, constexpr int BLOCK)
{
    store(X + arange(0, BLOCK), n);
}
---
tune_unknown.tile.c:3:44: error: the constexpr parameter 'BLOCK' has no value
kernel void k(int *X, int n, constexpr int BLOCK)
                                           ^~~~~
hint: give it with -D BLOCK=..., or list its values with tune
tune_unknown.tile.c:2:1: note: tilec_program_tune chooses from these values, and so does the program tilec, but where they need what is only known at a launch (a scalar may be fixed with -D), or loops
tune(k, BLOCK, next_pow2(n));
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
