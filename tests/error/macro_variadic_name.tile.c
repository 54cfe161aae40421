#define __VA_ARGS__ 1
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_variadic_name.tile.c:1:9: error: '__VA_ARGS__' cannot be a macro
#define __VA_ARGS__ 1
        ^~~~~~~~~~~
