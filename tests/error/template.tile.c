// Of its types nothing is known: they are not reported as well.
template <typename T>
kernel void e(T *X)
{
    T x = X[0];
}
---
template.tile.c:2:1: error: unknown type 'template'
template <typename T>
^~~~~~~~
hint: a helper's parameters may be auto, and constants of a kernel are constexpr
