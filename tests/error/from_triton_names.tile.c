// Functions of Triton that are none here.
kernel void k(const float *X, float *Out)
{
    int i = arange(0, 4);
    store(Out + i, clip(load(X + i), 0.0f, 1.0f));
    store(Out + i, zeros_like(load(X + i)));
    store(Out + i, topk(load(X + i), 2));
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
    debug_barrier();
    multiple_of(i, 4);
}
---
from_triton_names.tile.c:5:20: error: unknown function 'clip'
    store(Out + i, clip(load(X + i), 0.0f, 1.0f));
                   ^~~~
hint: clamp(x, low, high)
from_triton_names.tile.c:6:20: error: unknown function 'zeros_like'
    store(Out + i, zeros_like(load(X + i)));
                   ^~~~~~~~~~
hint: zeros(type, sizes...)
from_triton_names.tile.c:7:20: error: unknown function 'topk'
    store(Out + i, topk(load(X + i), 2));
                   ^~~~
hint: sort(x, reverse) has the greatest first, and argsort(x, reverse) their places
from_triton_names.tile.c:8:15: error: unknown function 'rand'
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
              ^~~~
hint: kernels/dropout.tile.c has a random generator
from_triton_names.tile.c:8:29: error: unknown function 'umulhi'
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
                            ^~~~~~
hint: mulhi(a, b) takes every integer type
from_triton_names.tile.c:8:44: error: unknown function 'fdiv'
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
                                           ^~~~
hint: x / y is correctly rounded
from_triton_names.tile.c:8:57: error: unknown function 'cat'
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
                                                        ^~~
hint: reshape(trans(join(a, b)), size) puts one behind the other
from_triton_names.tile.c:8:69: error: unknown function 'xor_sum'
    float u = rand(42, i) + umulhi(1, 2) + fdiv(1, 2) + cat(i, i) + xor_sum(i);
                                                                    ^~~~~~~
hint: reduce(helper, x, axis(k)) with a static helper of a ^ b
from_triton_names.tile.c:9:5: error: unknown function 'debug_barrier'
    debug_barrier();
    ^~~~~~~~~~~~~
hint: a program has no threads to wait for
from_triton_names.tile.c:10:5: error: unknown function 'multiple_of'
    multiple_of(i, 4);
    ^~~~~~~~~~~
hint: launch_require(KERNEL, n % 16 == 0, "text") is checked, and used
