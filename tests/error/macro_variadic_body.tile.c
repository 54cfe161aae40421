#define ADD(a, b) a + __VA_ARGS__
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_variadic_body.tile.c:1:23: error: '__VA_ARGS__' stands only in the body of a macro with '...'
#define ADD(a, b) a + __VA_ARGS__
                      ^~~~~~~~~~~
hint: a last parameter '...' of 'ADD' makes it
