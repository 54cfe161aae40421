// How GNU C drops the comma.
#define LOG(text, ...) tile_print(text, ## __VA_ARGS__)
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_variadic_comma.tile.c:2:39: error: '##' between ',' and '__VA_ARGS__' is GNU's, not C's
#define LOG(text, ...) tile_print(text, ## __VA_ARGS__)
                                      ^~~~~~~~~~~~~~~~
hint: write '__VA_OPT__(,) __VA_ARGS__'
