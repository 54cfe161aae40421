// Parameters and constants without a type, as before C89 and in Python.
constexpr pi = 3;
static float g(x, y) float x; float y;
{
    return x + y;
}
static float h(float x)
{
    return x;
}
kernel void k(float *X, n)
{
    X[0] = n;
}
kernel void l(float *X)
{
    X[0] = h;
    X[1] = X + 1;
    X = X[0];
}
---
untyped.tile.c:2:11: error: 'pi' has no type
constexpr pi = 3;
          ^~
hint: the type stands in front of the name: 'const float *X'
untyped.tile.c:3:16: error: 'x' has no type
static float g(x, y) float x; float y;
               ^
hint: the type stands in front of the name: 'const float *X'
untyped.tile.c:11:25: error: 'n' has no type
kernel void k(float *X, n)
                        ^
hint: the type stands in front of the name: 'const float *X'
untyped.tile.c:17:12: error: 'h' is not a value
    X[0] = h;
           ^
hint: a helper is called: 'h(...)'
untyped.tile.c:18:5: error: memory holds numbers, not 'float *'
    X[1] = X + 1;
    ^~~~~~~~~~~~
hint: load(pointer, mask) reads what a pointer points to
untyped.tile.c:19:5: error: 'X' takes 'float *', not 'float'
    X = X[0];
    ^~~~~~~~
hint: the address of X[i] is 'X + i', and 'X[i] = value' stores there
