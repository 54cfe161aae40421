// A mask that is a number, as of arguments in the wrong order, half a comparison or a forgotten sum.
kernel void k(const float *X, float *Out, int n, bool whole)
{
    int i = arange(0, 64);
    float x = load(X + i, n);
    store(Out + i, x, x);
    atomic_add(Out + i, i < n, 1.0f);
    float y = load(X, i);
    store(Out + i, x + y, i & 1);
    store(Out + i, x, whole);
    store(Out + i, x, n != 0);
    store(Out, unknown);
}
---
mask_of_numbers.tile.c:12:16: error: unknown name 'unknown'
    store(Out, unknown);
               ^~~~~~~
mask_of_numbers.tile.c:5:27: warning: the mask of 'load' is one number for all elements
    float x = load(X + i, n);
                          ^
hint: a mask is a condition, as i < n; 'n != 0' says that it is meant
mask_of_numbers.tile.c:6:23: warning: the mask of 'store' is a 'float [64]', which holds where it is not 0
    store(Out + i, x, x);
                      ^
hint: a mask is a condition, as i < n; 'x != 0' says that it is meant
mask_of_numbers.tile.c:7:32: warning: the mask of 'atomic_add' is a 'float', which holds where it is not 0
    atomic_add(Out + i, i < n, 1.0f);
                               ^~~~
hint: a mask is a condition, as i < n; 'x != 0' says that it is meant
mask_of_numbers.tile.c:8:23: warning: the mask of 'load' is a tile of indices
    float y = load(X, i);
                      ^
hint: an offset is added to the pointer: X + i
