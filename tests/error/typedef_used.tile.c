// One mistake, however often the name is used.
typedef float real;
typedef struct {
    real x, y;
} point;
kernel void k(real *X, int n)
{
    real a = 1;
    point p;
    X[0] = a;
}
---
typedef_used.tile.c:2:1: error: 'typedef' is not supported in kernels
typedef float real;
^~~~~~~
hint: write '#define NAME type'; members of a struct are parameters of their own
typedef_used.tile.c:3:1: error: 'typedef' is not supported in kernels
typedef struct {
^~~~~~~
hint: write '#define NAME type'; members of a struct are parameters of their own
