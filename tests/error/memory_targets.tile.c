// What an assignment to memory cannot be.
kernel void k(const float *X, float *Out, int n)
{
    auto v = view(Out, n);
    Out[arange(0, 4)] = 1;
    *(Out + arange(0, 4)) += 1;
    Out[0] = arange(0, 4);
    X[0] = 1;
    v[0] = 1;
    n[0] = 1;
    Out[0] = Out;
    int a = Out[0]++;
    n + 1 = 2;
    load(X) = 3;
}
---
memory_targets.tile.c:5:5: error: '[]' takes one element, and the index is [4]
    Out[arange(0, 4)] = 1;
    ^~~~~~~~~~~~~~~~~
hint: load(pointer + index, mask) loads a tile, store(pointer + index, value, mask) stores one
memory_targets.tile.c:6:5: error: '*' and '[]' take one element, and these are [4] addresses
    *(Out + arange(0, 4)) += 1;
    ^~~~~~~~~~~~~~~~~~~~~
hint: load(pointer, mask) and store(pointer, value, mask) take a tile
memory_targets.tile.c:7:5: error: [4] values for one address
    Out[0] = arange(0, 4);
    ^~~~~~~~~~~~~~~~~~~~~
hint: add a tile of offsets to the pointer: pointer + arange(0, n)
memory_targets.tile.c:8:5: error: 'store' through a pointer to const
    X[0] = 1;
    ^~~~
hint: declare the parameter without const
memory_targets.tile.c:9:5: error: a view is not indexed with '[]'
    v[0] = 1;
    ^~~~
hint: tile_load(v, indices..., sizes...) reads from a view
memory_targets.tile.c:10:5: error: '[]' takes a pointer, not 'int'
    n[0] = 1;
    ^~~~
hint: a scalar is its one element: leave the index out
memory_targets.tile.c:11:5: error: memory holds numbers, not 'float *'
    Out[0] = Out;
    ^~~~~~~~~~~~
hint: load(pointer, mask) reads what a pointer points to
memory_targets.tile.c:12:13: error: an assignment, '++' or '--' is a statement, not part of an expression
    int a = Out[0]++;
            ^~~~~~~~
hint: write it as a statement of its own
memory_targets.tile.c:13:5: error: only a variable or memory can be assigned to
    n + 1 = 2;
    ^~~~~
memory_targets.tile.c:14:5: error: only a variable or memory can be assigned to
    load(X) = 3;
    ^~~~~~~
hint: X[i] = value stores one element, store(X + i, value, mask) a tile
