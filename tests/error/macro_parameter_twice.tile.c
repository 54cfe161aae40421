#define MAX(a, a) maximum(a, a)
kernel void k(float *X, int n)
{
    X[0] = n;
}
---
macro_parameter_twice.tile.c:1:16: error: the macro has another parameter 'a'
#define MAX(a, a) maximum(a, a)
               ^
