// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = load(X + arange(0, B));
    float y = x > 0 ? x : 0;
}
---
tile_conditional.tile.c:5:15: error: '?:' chooses once, and this condition is [4]
    float y = x > 0 ? x : 0;
              ^~~~~
hint: where(condition, x, y) chooses for each element
