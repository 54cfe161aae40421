// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = X % 2;
    float y = exp(x) + zeros(float, 4);
    float z = y + zeros(float, 8);
    for (int i = 0; i < x; i++)
        y += z;
    auto v = view(X, x);
    store(Out, tile_load(v, 0, 4));
}
---
no_follow_ups_typed.tile.c:4:17: error: '%' does not take a pointer
    float x = X % 2;
                ^
