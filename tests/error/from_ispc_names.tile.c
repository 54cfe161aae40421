// Functions that ISPC and OpenCL have.
kernel void k(const float *X, float *Out)
{
    int g = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    float r = mad(X[0], X[1], X[2]) + native_exp(X[3]) + mix(X[0], X[1], 0.5f);
    store(Out + programIndex, reduce_add(r) + tanpi(r) + sign(r));
    atomic_inc(Out);
}
---
from_ispc_names.tile.c:4:13: error: unknown function 'get_global_id'
    int g = get_global_id(0);
            ^~~~~~~~~~~~~
hint: program_id(0) * BLOCK + arange(0, BLOCK) is a tile of indices, with a mask i < n
from_ispc_names.tile.c:5:5: error: unknown function 'barrier'
    barrier(CLK_LOCAL_MEM_FENCE);
    ^~~~~~~
hint: a program has no threads to wait for
from_ispc_names.tile.c:6:15: error: unknown function 'mad'
    float r = mad(X[0], X[1], X[2]) + native_exp(X[3]) + mix(X[0], X[1], 0.5f);
              ^~~
hint: a * b + c becomes fma by itself
from_ispc_names.tile.c:6:39: error: unknown function 'native_exp'
    float r = mad(X[0], X[1], X[2]) + native_exp(X[3]) + mix(X[0], X[1], 0.5f);
                                      ^~~~~~~~~~
hint: functions have one form: exp, log, sqrt, rsqrt, sin, cos, pow
from_ispc_names.tile.c:6:58: error: unknown function 'mix'
    float r = mad(X[0], X[1], X[2]) + native_exp(X[3]) + mix(X[0], X[1], 0.5f);
                                                         ^~~
hint: x + (y - x) * a
from_ispc_names.tile.c:7:17: error: unknown name 'programIndex'
    store(Out + programIndex, reduce_add(r) + tanpi(r) + sign(r));
                ^~~~~~~~~~~~
hint: a program has no lanes: arange(0, n) makes a tile of indices
from_ispc_names.tile.c:7:31: error: unknown function 'reduce_add'
    store(Out + programIndex, reduce_add(r) + tanpi(r) + sign(r));
                              ^~~~~~~~~~
hint: sum(x)
from_ispc_names.tile.c:7:47: error: unknown function 'tanpi'
    store(Out + programIndex, reduce_add(r) + tanpi(r) + sign(r));
                                              ^~~~~
hint: sinpi(x) / cospi(x)
from_ispc_names.tile.c:7:58: error: unknown function 'sign'
    store(Out + programIndex, reduce_add(r) + tanpi(r) + sign(r));
                                                         ^~~~
hint: where(x > 0, 1, where(x < 0, -1, 0))
from_ispc_names.tile.c:8:5: error: unknown function 'atomic_inc'
    atomic_inc(Out);
    ^~~~~~~~~~
hint: atomic_add(pointer, 1, mask)
