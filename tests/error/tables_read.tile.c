// How a table cannot be read, and what one of a kernel cannot be made of.
static const float t[3] = {1, 2, 3};
kernel void k(float *X, int n)
{
    const float other[2] = {1, n};
    const int tile[1] = {arange(0, 2)};
    const int pointer[1] = {X};
    int i = arange(0, 4);
    store(X + i, t[3]);
    store(X + i, t[-1]);
    store(X + i, t[1.5f]);
    store(X + i, t[X]);
    store(X + i, t);
    store(X + i, t + 1);
    store(X + i, load(t, i < 3));
    t[0] = 1;
    t = 1;
    t[i]++;
    float y = *t;
    auto u = t;
    u = t;
    store(X + i, u[i] + t[0][1]);
}
---
tables_read.tile.c:5:32: error: an element of 'other' must be known at compile time
    const float other[2] = {1, n};
                               ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
tables_read.tile.c:6:26: error: an element of 'tile' must be known at compile time
    const int tile[1] = {arange(0, 2)};
                         ^~~~~~~~~~~~
hint: use literals and constexpr names in it
tables_read.tile.c:7:29: error: an element of 'pointer' takes 'int', not 'float *'
    const int pointer[1] = {X};
                            ^
hint: load(pointer, mask) reads what a pointer points to
tables_read.tile.c:9:20: error: index 3 is outside of 't', which has 3 elements
    store(X + i, t[3]);
                   ^
tables_read.tile.c:10:20: error: index -1 is outside of 't', which has 3 elements
    store(X + i, t[-1]);
                   ^~
tables_read.tile.c:11:20: error: the index of a table must be an integer, not 'float'
    store(X + i, t[1.5f]);
                   ^~~~
tables_read.tile.c:12:20: error: the index of a table must be an integer, not 'float *'
    store(X + i, t[X]);
                   ^
tables_read.tile.c:13:18: error: 'value' of 'store' must be a number, not a table
    store(X + i, t);
                 ^
hint: t[i] reads elements of a table, also for a tile of indices
tables_read.tile.c:14:20: error: '+' does not take a table
    store(X + i, t + 1);
                   ^
hint: t[i] reads elements of a table, also for a tile of indices
tables_read.tile.c:15:23: error: 'p' of 'load' must be a pointer, not a table
    store(X + i, load(t, i < 3));
                      ^
hint: t[i] reads elements of a table, also for a tile of indices
tables_read.tile.c:16:5: error: the elements of a table are constant
    t[0] = 1;
    ^~~~
tables_read.tile.c:17:5: error: 't' is constant
    t = 1;
    ^
tables_read.tile.c:18:5: error: the elements of a table are constant
    t[i]++;
    ^~~~
tables_read.tile.c:19:15: error: '*' does not take a table
    float y = *t;
              ^
hint: t[i] reads elements of a table, also for a tile of indices
tables_read.tile.c:21:5: error: 'u' is a table, which cannot be assigned
    u = t;
    ^
hint: declare another one
tables_read.tile.c:22:25: error: '[]' takes a pointer, not 'float'
    store(X + i, u[i] + t[0][1]);
                        ^~~~~~~
hint: a scalar is its one element: leave the index out
