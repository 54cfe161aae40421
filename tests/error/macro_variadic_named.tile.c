// The name that GNU C gives to it.
#define LOG(text, args...) tile_print(text, args)
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_variadic_named.tile.c:2:19: error: the '...' of a macro has no name of its own in C
#define LOG(text, args...) tile_print(text, args)
                  ^~~~~~~
hint: write '...', and '__VA_ARGS__' for 'args' in the body
