// What users of Triton write.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 4);
    store(Out + i[:, None], 1.0f);
    store(Out + i[None, :], 1.0f);
    store(Out, X[0:4]);
    store(Out + i, tl.where(i < n, 1, 0));
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
