// What users of Triton write.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 4);
    store(Out + i[:, None], 1.0f);
    store(Out + i[None, :], 1.0f);
    store(Out, X[0:4]);
    store(Out + i, tl.where(i < n, 1, 0));
    float a = load(X + i, mask=i < n, other=0.0);
    int p = program_id(axis=0);
    float b = sum(a, axis(0), keep_dims=true);
    float c = zeros((4, 4), float);
    bool d = i < n and i > 1;
    float e = a if n > 1 else b;
    half f = a.to(half);
    float g = float(i);
    float h = trans(a.T);
}
---
from_triton.tile.c:5:19: error: slices are not supported in kernels
    store(Out + i[:, None], 1.0f);
                  ^
hint: expand_dims(x, axis) gives a tile a further axis of 1; load(X + arange(0, n)) reads neighbours
from_triton.tile.c:6:23: error: one index only: a pointer has one axis
    store(Out + i[None, :], 1.0f);
                      ^
hint: use view(pointer, rows, columns) and tile_load; expand_dims(x, axis) gives a tile a further axis of 1
from_triton.tile.c:7:19: error: slices are not supported in kernels
    store(Out, X[0:4]);
                  ^
hint: expand_dims(x, axis) gives a tile a further axis of 1; load(X + arange(0, n)) reads neighbours
from_triton.tile.c:8:22: error: values have no members: structs are not supported in kernels
    store(Out + i, tl.where(i < n, 1, 0));
                     ^
hint: built-ins have no prefix: load, arange, program_id
from_triton.tile.c:9:27: error: arguments of functions have no names in C, only their order
    float a = load(X + i, mask=i < n, other=0.0);
                          ^~~~
hint: leave 'mask =' out
from_triton.tile.c:10:24: error: arguments of functions have no names in C, only their order
    int p = program_id(axis=0);
                       ^~~~
hint: leave 'axis =' out; an axis of a reduction, scan or sort is written axis(0)
from_triton.tile.c:11:31: error: arguments of functions have no names in C, only their order
    float b = sum(a, axis(0), keep_dims=true);
                              ^~~~~~~~~
hint: write keep
from_triton.tile.c:12:23: error: the comma operator is not supported in kernels
    float c = zeros((4, 4), float);
                      ^
hint: sizes and indices are arguments of their own: f(a, b), not f((a, b))
from_triton.tile.c:13:20: error: 'and' is no operator
    bool d = i < n and i > 1;
                   ^~~
hint: 'and' is written '&&'
from_triton.tile.c:14:17: error: 'if' is no operator
    float e = a if n > 1 else b;
                ^~
hint: where(c, x, y) chooses for each element; scalars may take c ? x : y
from_triton.tile.c:15:15: error: values have no members: structs are not supported in kernels
    half f = a.to(half);
              ^
hint: a conversion is written '(half)x' or cast(half, x)
from_triton.tile.c:16:15: error: a type cannot be called
    float g = float(i);
              ^~~~~
hint: a conversion is written '(float)x'
from_triton.tile.c:17:22: error: values have no members: structs are not supported in kernels
    float h = trans(a.T);
                     ^
hint: trans(x) exchanges the last two axes
