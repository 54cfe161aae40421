kernel void a(float *X, int &n)
{
    store(X, n);
}
kernel void b(float *X; int n)
{
    store(X, n);
}
kernel void c(float *X)
{
    float x = std::exp(1);
    auto f = [](float y) { return y; };
    i := 3;
    store(X, 1f + 089);
    tile_print('text', x);
}
fn d(float *X)
{
}
---
words_of_c_plus_plus.tile.c:1:29: error: references are not supported in kernels
kernel void a(float *X, int &n)
                            ^
hint: parameters are values; a helper returns its result, a kernel stores it
words_of_c_plus_plus.tile.c:5:23: error: expected ',' behind the parameter
kernel void b(float *X; int n)
                      ^
words_of_c_plus_plus.tile.c:11:18: error: '::' is C++'s
    float x = std::exp(1);
                 ^
hint: built-ins have no prefix: exp, maximum, load
words_of_c_plus_plus.tile.c:12:14: error: lists and lambdas are not supported in kernels
    auto f = [](float y) { return y; };
             ^
hint: zeros, full and arange make a tile; a function is a static helper
words_of_c_plus_plus.tile.c:13:5: error: labels are not supported in kernels
    i := 3;
    ^
hint: a variable is declared 'int i = value;'
words_of_c_plus_plus.tile.c:14:14: error: this is not a number
    store(X, 1f + 089);
             ^~
hint: a float has a point: 1.0f
words_of_c_plus_plus.tile.c:15:16: error: a character constant holds one character
    tile_print('text', x);
               ^~~~~~
hint: a text stands in double quotes
words_of_c_plus_plus.tile.c:17:1: error: unknown type 'fn'
fn d(float *X)
^~
hint: a kernel is 'kernel void NAME(parameters) { ... }'
