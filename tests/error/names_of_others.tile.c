// Functions of others have hints by themselves, by their ending, or by how they begin. A name that
// is not called is a variable's: no hint is about a function.
kernel void k(const float *X, float *Out, int n)
{
    float a = tanf(X[0]) + atan2f(X[1], X[2]) + erfcf(X[0]);
    unsigned m = __ballot_sync(0xffffffff, X[0] > 0);
    int b = convert_int_sat_rte(a) + as_uint(a);
    float c = native_sin(a) + sub_group_reduce_max(a);
    atomic_add_global(Out, c);
    prefetch_l1(X);
    store(Out, length(a) + length);
    float d = convert_layuot(a, 0);
    float e = norm * threadIdx;
}
---
names_of_others.tile.c:5:15: error: unknown function 'tanf'
    float a = tanf(X[0]) + atan2f(X[1], X[2]) + erfcf(X[0]);
              ^~~~
hint: tan(x) takes every floating type
names_of_others.tile.c:5:28: error: unknown function 'atan2f'
    float a = tanf(X[0]) + atan2f(X[1], X[2]) + erfcf(X[0]);
                           ^~~~~~
hint: atan2(y, x) takes every floating type
names_of_others.tile.c:5:49: error: unknown function 'erfcf'
    float a = tanf(X[0]) + atan2f(X[1], X[2]) + erfcf(X[0]);
                                                ^~~~~
hint: erfc(x) takes every floating type
names_of_others.tile.c:6:18: error: unknown function '__ballot_sync'
    unsigned m = __ballot_sync(0xffffffff, X[0] > 0);
                 ^~~~~~~~~~~~~
hint: a program has no lanes: a condition is a tile; any(c), all(c), sum((int)c)
names_of_others.tile.c:7:13: error: unknown function 'convert_int_sat_rte'
    int b = convert_int_sat_rte(a) + as_uint(a);
            ^~~~~~~~~~~~~~~~~~~
hint: a conversion is written '(int)x'
names_of_others.tile.c:7:38: error: unknown function 'as_uint'
    int b = convert_int_sat_rte(a) + as_uint(a);
                                     ^~~~~~~
hint: bitcast(unsigned, x)
names_of_others.tile.c:8:15: error: unknown function 'native_sin'
    float c = native_sin(a) + sub_group_reduce_max(a);
              ^~~~~~~~~~
hint: functions have one form: exp, log, sqrt, rsqrt, sin, cos, pow
names_of_others.tile.c:8:31: error: unknown function 'sub_group_reduce_max'
    float c = native_sin(a) + sub_group_reduce_max(a);
                              ^~~~~~~~~~~~~~~~~~~~
hint: sum(x), max(x), min(x) go over a tile
names_of_others.tile.c:9:5: error: unknown function 'atomic_add_global'
    atomic_add_global(Out, c);
    ^~~~~~~~~~~~~~~~~
hint: atomic_add(pointer, value, mask)
names_of_others.tile.c:10:5: error: unknown function 'prefetch_l1'
    prefetch_l1(X);
    ^~~~~~~~~~~
hint: nothing is needed: what is read ahead is chosen when code is made
names_of_others.tile.c:11:16: error: unknown function 'length'
    store(Out, length(a) + length);
               ^~~~~~
hint: sqrt(sum(x * x))
names_of_others.tile.c:11:28: error: unknown name 'length'
    store(Out, length(a) + length);
                           ^~~~~~
names_of_others.tile.c:12:15: error: unknown function 'convert_layuot'
    float d = convert_layuot(a, 0);
              ^~~~~~~~~~~~~~
hint: did you mean 'convert_layout'?
names_of_others.tile.c:13:15: error: unknown name 'norm'
    float e = norm * threadIdx;
              ^~~~
names_of_others.tile.c:13:22: error: unknown name 'threadIdx'
    float e = norm * threadIdx;
                     ^~~~~~~~~
hint: a program has no threads: arange(0, n) makes a tile of indices
