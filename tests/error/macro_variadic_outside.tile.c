kernel void k(float *X, int n)
{
    X[0] = sum(__VA_ARGS__);
}
---
macro_variadic_outside.tile.c:3:16: error: '__VA_ARGS__' stands only in the body of a macro with '...'
    X[0] = sum(__VA_ARGS__);
               ^~~~~~~~~~~
