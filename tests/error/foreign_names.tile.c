// Names of C, CUDA and Triton get their own hints; so does the maximum of two.
kernel void k(const float *X, float *Out, int n)
{
    float x = fabsf(X[0]) + mean(X[1]);
    int i = ceil_div(n, 4);
    printf("x", x);
    atomicAdd(Out, 1);
    bool c = X == NULL;
    int t = threadIdx;
    int m = MAX(n, MIN(t, 3));
}
---
foreign_names.tile.c:4:15: error: unknown function 'fabsf'
    float x = fabsf(X[0]) + mean(X[1]);
              ^~~~~
hint: abs(x) takes every type
foreign_names.tile.c:4:29: error: unknown function 'mean'
    float x = fabsf(X[0]) + mean(X[1]);
                            ^~~~
hint: sum(x) / n
foreign_names.tile.c:5:13: error: unknown function 'ceil_div'
    int i = ceil_div(n, 4);
            ^~~~~~~~
hint: cdiv(a, b)
foreign_names.tile.c:6:5: error: unknown function 'printf'
    printf("x", x);
    ^~~~~~
hint: tile_print("text", value) prints
foreign_names.tile.c:7:5: error: unknown function 'atomicAdd'
    atomicAdd(Out, 1);
    ^~~~~~~~~
hint: atomic_add(pointer, value, mask)
foreign_names.tile.c:8:19: error: unknown name 'NULL'
    bool c = X == NULL;
                  ^~~~
hint: there are no null pointers: use a mask to skip an access
foreign_names.tile.c:9:13: error: unknown name 'threadIdx'
    int t = threadIdx;
            ^~~~~~~~~
hint: a program has no threads: arange(0, n) makes a tile of indices
foreign_names.tile.c:10:13: error: unknown function 'MAX'
    int m = MAX(n, MIN(t, 3));
            ^~~
hint: maximum(x, y) takes every type
foreign_names.tile.c:10:20: error: unknown function 'MIN'
    int m = MAX(n, MIN(t, 3));
                   ^~~
hint: minimum(x, y) takes every type
