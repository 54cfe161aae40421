#define LIST(a, ...) a __VA_OPT__, __VA_ARGS__
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_optional_bare.tile.c:1:24: error: '__VA_OPT__' needs parentheses behind it
#define LIST(a, ...) a __VA_OPT__, __VA_ARGS__
                       ^~~~~~~~~~
hint: '__VA_OPT__(,)' is a comma where arguments are given for the '...'
