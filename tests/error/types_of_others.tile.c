kernel void a(X: const float *, Out: float *)
{
}
kernel void b(float *Out)
{
    let x = 1;
    var y = 2;
    i: int = blockIdx.x;
    store(Out, x + y + threadIdx.x);
}
---
types_of_others.tile.c:1:15: error: unknown type 'X'
kernel void a(X: const float *, Out: float *)
              ^
hint: the type stands in front of the name: 'const float *X'
types_of_others.tile.c:6:5: error: unknown type 'let'
    let x = 1;
    ^~~
hint: write 'auto'
types_of_others.tile.c:7:5: error: unknown type 'var'
    var y = 2;
    ^~~
hint: write 'auto'
types_of_others.tile.c:8:5: error: labels are not supported in kernels
    i: int = blockIdx.x;
    ^
hint: a variable is declared 'int i = value;'
types_of_others.tile.c:9:33: error: values have no members: structs are not supported in kernels
    store(Out, x + y + threadIdx.x);
                                ^
hint: a program has no threads: arange(0, n) makes a tile of indices
