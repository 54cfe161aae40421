// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto v = view(X, n);
    float x = v + 1;
    float y = v[0];
    float z = load(v);
}
---
view_operators.tile.c:5:17: error: '+' does not take a view
    float x = v + 1;
                ^
hint: tile_load(v, indices..., sizes...) reads from a view
view_operators.tile.c:6:15: error: a view is not indexed with '[]'
    float y = v[0];
              ^~~~
hint: tile_load(v, indices..., sizes...) reads from a view
view_operators.tile.c:7:20: error: 'p' of 'load' must be a pointer, not a view
    float z = load(v);
                   ^
hint: tile_load and tile_store take views
