#define LIST(a, ...) __VA_OPT__(a, __VA_OPT__(b))
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_optional_within.tile.c:1:36: error: '__VA_OPT__' cannot stand within another one
#define LIST(a, ...) __VA_OPT__(a, __VA_OPT__(b))
                                   ^~~~~~~~~~
