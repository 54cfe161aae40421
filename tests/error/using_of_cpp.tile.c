// C++'s name for a type is one mistake, whatever uses it.
using T = float;
static float twice(T x)
{
    return 2 * x;
}
kernel void k(const float *X, float *Out, int n)
{
    T x = load(X);
    store(Out, (T)n + x + twice(1.0f));
    store(Out, zeros(T, 16));
}
---
using_of_cpp.tile.c:2:1: error: unknown type 'using'
using T = float;
^~~~~
hint: '#define NAME type' names a type; built-ins have no prefix
