#define LIST(a, ...) a __VA_OPT__((,) __VA_ARGS__
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_optional_open.tile.c:1:34: error: this '(' of '__VA_OPT__' is not closed
#define LIST(a, ...) a __VA_OPT__((,) __VA_ARGS__
                                 ^
