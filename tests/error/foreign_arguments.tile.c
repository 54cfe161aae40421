// A call of another language is one mistake, with its constants; its other arguments are looked at.
kernel void k(float *X, int n)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    printf("%d", m);
    X[0] = null;
    X[1] = nil;
}
---
foreign_arguments.tile.c:4:5: error: unknown function 'barrier'
    barrier(CLK_LOCAL_MEM_FENCE);
    ^~~~~~~
hint: a program has no threads to wait for
foreign_arguments.tile.c:5:5: error: unknown function 'printf'
    printf("%d", m);
    ^~~~~~
hint: tile_print("text", value) prints
foreign_arguments.tile.c:5:18: error: unknown name 'm'
    printf("%d", m);
                 ^
foreign_arguments.tile.c:6:12: error: unknown name 'null'
    X[0] = null;
           ^~~~
hint: there are no null pointers: use a mask to skip an access
foreign_arguments.tile.c:7:12: error: unknown name 'nil'
    X[1] = nil;
           ^~~
hint: there are no null pointers: use a mask to skip an access
