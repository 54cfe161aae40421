// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = load(X + arange(0, B));
    if (x > 0)
        store(Out, 1);
}
---
tile_condition_if.tile.c:5:9: error: the condition of 'if' must be one truth for the program; this is [4]
    if (x > 0)
        ^~~~~
hint: where(condition, x, y) chooses for each element; load and store take a mask; any(c) and all(c) make one truth
