// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s = expand_dims(s, 0);
    store(Out, sum(s));
}
---
carried_shape_twice.tile.c:6:9: error: 's' is 'float [1]' when the loop begins a turn and 'float [1, 1]' when it ends one
        s = expand_dims(s, 0);
        ^~~~~~~~~~~~~~~~~~~~~
hint: only a scalar can take a shape in a loop, and only once
carried_shape_twice.tile.c:4:11: note: 's' gets its first value here
    float s = 0;
          ^~~~~
