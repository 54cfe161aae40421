// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto v = view(X, n);
    v = view(X, n + 1);
}
---
assign_view.tile.c:5:5: error: 'v' is a view, which cannot be assigned
    v = view(X, n + 1);
    ^
hint: declare another one
