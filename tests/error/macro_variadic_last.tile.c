#define FIRST(..., last) last
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_variadic_last.tile.c:1:15: error: '...' must be the last parameter of a macro
#define FIRST(..., last) last
              ^~~
