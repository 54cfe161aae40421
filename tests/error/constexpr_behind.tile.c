kernel void k(float *Out, int BLOCK: constexpr)
{
    store(Out, BLOCK);
}
---
constexpr_behind.tile.c:1:36: error: 'constexpr' stands in front of a parameter's type
kernel void k(float *Out, int BLOCK: constexpr)
                                   ^
hint: write 'constexpr int BLOCK'
