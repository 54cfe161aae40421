// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = load(X + arange(0, B));
    while (x > 0)
        x -= 1;
}
---
tile_condition_while.tile.c:5:12: error: the condition of 'while' must be one truth for the program; this is [4]
    while (x > 0)
           ^~~~~
hint: where(condition, x, y) chooses for each element; load and store take a mask; any(c) and all(c) make one truth
