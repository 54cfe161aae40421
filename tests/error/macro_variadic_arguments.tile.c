#define AT_LEAST(a, b, ...) sum(a, b, __VA_ARGS__)
kernel void k(float *X, int n)
{
    X[0] = AT_LEAST(n);
}
---
macro_variadic_arguments.tile.c:4:12: error: macro 'AT_LEAST' takes at least 2 arguments, but 1 is given
    X[0] = AT_LEAST(n);
           ^~~~~~~~~~~
macro_variadic_arguments.tile.c:1:9: note: macro 'AT_LEAST' is defined here
#define AT_LEAST(a, b, ...) sum(a, b, __VA_ARGS__)
        ^~~~~~~~
