// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float s = zeros(float, 4);
    for (int i = 0; i < n; i++)
        s = sum(s);
    store(Out, sum(s));
}
---
carried_to_scalar.tile.c:6:9: error: 's' is 'float [4]' when the loop begins a turn and 'float' when it ends one
        s = sum(s);
        ^~~~~~~~~~
hint: full and zeros give a scalar a shape; sum, max and min belong behind the loop
carried_to_scalar.tile.c:4:11: note: 's' gets its first value here
    float s = zeros(float, 4);
          ^~~~~~~~~~~~~~~~~~~
