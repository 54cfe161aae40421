// Declarations of arrays that are no tables, one error each.
float variable[2] = {1, 2};
const float open[2];
const float axes[2][2] = {1, 2, 3, 4};
const float nested[2] = {{1}, {2}};
const float named[2] = {.x = 1};
const float *pointers[2] = {1, 2};
const auto some[2] = {1, 2};
const char text[] = "ab";
const float comma[2] = {1 2};
kernel void parameter(const float parameter[2], float *X)
{
}
kernel void k(float *X, int n)
{
    float local[2] = {1, 2};
    static float kept[2] = {1, 2};
    float list = {1};
    const float unclosed[2] = {1, 2;
    store(X, 1.0f);
}
---
tables_syntax.tile.c:2:1: error: variables at file scope are not supported in kernels
float variable[2] = {1, 2};
^~~~~
hint: a table of constants is 'static const float NAME[2] = {1, 2};'
tables_syntax.tile.c:3:20: error: 'open' needs its elements where it is declared
const float open[2];
                   ^
hint: write 'static const float t[2] = {1, 2};'
tables_syntax.tile.c:4:20: error: a table has one axis
const float axes[2][2] = {1, 2, 3, 4};
                   ^
hint: rows stand behind each other: t[i * columns + j]
tables_syntax.tile.c:5:26: error: a table has one axis
const float nested[2] = {{1}, {2}};
                         ^
hint: rows stand behind each other: t[i * columns + j]
tables_syntax.tile.c:6:25: error: the elements of a table have no names
const float named[2] = {.x = 1};
                        ^
tables_syntax.tile.c:7:1: error: variables at file scope are not supported in kernels
const float *pointers[2] = {1, 2};
^~~~~~~~~~~
tables_syntax.tile.c:8:7: error: a table holds numbers of one type
const auto some[2] = {1, 2};
      ^~~~
hint: write 'static const float t[2] = {1, 2};'
tables_syntax.tile.c:9:21: error: the elements of a table stand in braces
const char text[] = "ab";
                    ^~~~
tables_syntax.tile.c:10:27: error: expected ',' or '}' behind an element of the table
const float comma[2] = {1 2};
                          ^
tables_syntax.tile.c:11:44: error: arrays are not supported in kernels
kernel void parameter(const float parameter[2], float *X)
                                           ^
hint: declare a pointer: 'float *x'
tables_syntax.tile.c:16:16: error: arrays are not supported in kernels
    float local[2] = {1, 2};
               ^
hint: a variable can hold a tile: 'float x = zeros(float, 16);'; constants make a table: 'static const float x[2] = {1, 2};'
tables_syntax.tile.c:17:5: error: static variables are not supported in kernels
    static float kept[2] = {1, 2};
    ^~~~~~~~~~~~
hint: what outlives a program stands in an array of the caller's; 'static const' makes a constant
tables_syntax.tile.c:18:18: error: lists of values are not supported in kernels
    float list = {1};
                 ^
hint: make a tile with zeros, full or arange
tables_syntax.tile.c:19:36: error: expected ',' or '}' behind an element of the table
    const float unclosed[2] = {1, 2;
                                   ^
tables_syntax.tile.c:21:2: error: unexpected end of the file, expected '}'
}
 ^
tables_syntax.tile.c:15:1: note: to match this '{'
{
^
