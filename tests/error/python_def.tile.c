def add(x, y):
    return x + y

kernel void k(float *Out)
{
    store(Out, add(1, 2));
}
---
python_def.tile.c:1:1: error: 'def' is Python's, and kernel files are C
def add(x, y):
^~~
hint: a kernel is 'kernel void NAME(parameters) { ... }', a helper is 'static float NAME(parameters) { ... }'
