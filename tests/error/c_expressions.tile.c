// Expressions of C that kernels cannot use.
kernel void k(float *X, int n)
{
    int a = sizeof(n);
    int *b = &n;
    int c = n.x;
    int d = X->y;
    int e = (1, 2);
    int f = (int){0};
    int g = {1, 2};
    int h = *(int *)X;
    int i = "text";
    int j[4];
    int **l;
    int m = (n)(1);
    int o = ({ 1; });
    (void)n;
    int p = X[1, 2];
    void q;
    auto r;
    long double s = 0;
    unsigned float t = 0;
    int u = (int[]){1, 2};
}
---
c_expressions.tile.c:4:20: error: 'sizeof' takes a type
    int a = sizeof(n);
                   ^
hint: element types have fixed sizes: float 4, half 2, int 4, long 8 bytes
c_expressions.tile.c:5:14: error: addresses cannot be taken with '&' in kernels
    int *b = &n;
             ^
hint: the address of X[i] is 'X + i'
c_expressions.tile.c:6:14: error: values have no members: structs are not supported in kernels
    int c = n.x;
             ^
c_expressions.tile.c:7:14: error: values have no members: structs are not supported in kernels
    int d = X->y;
             ^~
c_expressions.tile.c:8:15: error: the comma operator is not supported in kernels
    int e = (1, 2);
              ^
hint: write two statements
c_expressions.tile.c:9:13: error: compound literals are not supported in kernels
    int f = (int){0};
            ^~~~~
hint: zeros, full and arange make a tile; constants make a table: 'static const float x[2] = {1, 2};'
c_expressions.tile.c:10:13: error: lists of values are not supported in kernels
    int g = {1, 2};
            ^
hint: make a tile with zeros, full or arange
c_expressions.tile.c:11:14: error: casts of pointers are not supported in kernels
    int h = *(int *)X;
             ^~~~~~~
hint: declare the parameter with the type that it has in memory, and pass memory of two types twice; bitcast(type, value) converts what was loaded
c_expressions.tile.c:12:13: error: a text can only be an argument of a function
    int i = "text";
            ^~~~~~
hint: texts are for tile_assert, tile_print and the requirements
c_expressions.tile.c:13:10: error: arrays are not supported in kernels
    int j[4];
         ^
hint: a variable can hold a tile: 'float x = zeros(float, 16);'; constants make a table: 'static const float x[2] = {1, 2};'
c_expressions.tile.c:14:10: error: pointers to pointers are not supported in kernels
    int **l;
         ^
hint: rows of one array are 'X + row * N', where N is what lies between two
c_expressions.tile.c:15:16: error: only a name can be called
    int m = (n)(1);
               ^
c_expressions.tile.c:16:13: error: statement expressions are not supported in kernels
    int o = ({ 1; });
            ^
c_expressions.tile.c:17:5: error: a cast to void is not supported in kernels
    (void)n;
    ^~~~~~
hint: unused values and parameters need no mark
c_expressions.tile.c:18:16: error: one index only: a pointer has one axis
    int p = X[1, 2];
               ^
hint: use view(pointer, rows, columns) and tile_load; expand_dims(x, axis) gives a tile a further axis of 1
c_expressions.tile.c:19:5: error: a variable cannot be void
    void q;
    ^~~~
c_expressions.tile.c:20:10: error: 'r' needs a value where it is declared
    auto r;
         ^
c_expressions.tile.c:21:5: error: long double is not supported in kernels
    long double s = 0;
    ^~~~~~~~~~~
hint: write 'double'
c_expressions.tile.c:22:14: error: two types in one declaration
    unsigned float t = 0;
             ^~~~~
c_expressions.tile.c:23:13: error: compound literals are not supported in kernels
    int u = (int[]){1, 2};
            ^~~~
hint: zeros, full and arange make a tile; constants make a table: 'static const float x[2] = {1, 2};'
