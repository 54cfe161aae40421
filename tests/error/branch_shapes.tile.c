// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float s = 0;
    if (n > 2)
        s = zeros(float, 4);
    else
        s = zeros(float, 8);
    store(Out, sum(s));
}
---
branch_shapes.tile.c:8:9: error: 's' is 'float [8]' after one branch of this 'if' and 'float [4]' after the other
        s = zeros(float, 8);
        ^~~~~~~~~~~~~~~~~~~
hint: broadcast_to, expand_dims and reshape change a shape
branch_shapes.tile.c:6:9: note: the other value of 's' is set here
        s = zeros(float, 4);
        ^~~~~~~~~~~~~~~~~~~
