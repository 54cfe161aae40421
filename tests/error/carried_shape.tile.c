// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float s = zeros(float, 4);
    for (int i = 0; i < n; i++)
        s = zeros(float, 8);
    store(Out, sum(s));
}
---
carried_shape.tile.c:6:9: error: 's' is 'float [4]' when the loop begins a turn and 'float [8]' when it ends one
        s = zeros(float, 8);
        ^~~~~~~~~~~~~~~~~~~
hint: only a scalar can take a shape in a loop, and only once
carried_shape.tile.c:4:11: note: 's' gets its first value here
    float s = zeros(float, 4);
          ^~~~~~~~~~~~~~~~~~~
