#define LIST(a, ...) __VA_OPT__(## a)
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_optional_paste.tile.c:1:33: error: '##' must stand between two tokens
#define LIST(a, ...) __VA_OPT__(## a)
                                ^~
