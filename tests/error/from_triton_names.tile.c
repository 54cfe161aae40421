// Functions of Triton that are none here.
kernel void k(const float *X, float *Out)
{
    int i = arange(0, 4);
    store(Out + i, clamp(load(X + i), 0.0f, 1.0f));
    store(Out + i, zeros_like(load(X + i)));
    store(Out + i, sort(load(X + i)));
}
---
from_triton_names.tile.c:5:20: error: unknown function 'clamp'
    store(Out + i, clamp(load(X + i), 0.0f, 1.0f));
                   ^~~~~
hint: minimum(maximum(x, low), high)
from_triton_names.tile.c:6:20: error: unknown function 'zeros_like'
    store(Out + i, zeros_like(load(X + i)));
                   ^~~~~~~~~~
hint: zeros(type, sizes...)
from_triton_names.tile.c:7:20: error: unknown function 'sort'
    store(Out + i, sort(load(X + i)));
                   ^~~~
hint: compare and exchange, with gather(x, i ^ step) for the other element
