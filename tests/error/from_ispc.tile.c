// What ISPC and OpenCL write otherwise.
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    foreach (i = 0 ... n) {
        store(Out + i, 2 * X[i]);
    }
    varying float y = X[0];
}
kernel void l(__global float *Out)
{
}
kernel void m(const float *X, float *Out)
{
    float4 four = X[0];
    __local float z;
}
export void e(uniform float Out[])
{
}
---
from_ispc.tile.c:4:14: error: 'foreach' is no statement of C
    foreach (i = 0 ... n) {
             ^
hint: a program works on a whole tile: int i = program_id(0) * BLOCK + arange(0, BLOCK), with a mask i < n
from_ispc.tile.c:7:5: error: unknown type 'varying'
    varying float y = X[0];
    ^~~~~~~
hint: leave it out: what is computed from a tile, as arange(0, n) makes it, is one
from_ispc.tile.c:9:15: error: unknown type '__global'
kernel void l(__global float *Out)
              ^~~~~~~~
hint: leave it out: every pointer of a kernel is to global memory
from_ispc.tile.c:14:5: error: unknown type 'float4'
    float4 four = X[0];
    ^~~~~~
hint: a variable holds a tile; what were members are variables or a last axis of their own
from_ispc.tile.c:15:5: error: unknown type '__local'
    __local float z;
    ^~~~~~~
hint: a program has no memory of its own: a variable can hold a tile
from_ispc.tile.c:17:1: error: unknown type 'export'
export void e(uniform float Out[])
^~~~~~
hint: a kernel is 'kernel void NAME(parameters) { ... }'
