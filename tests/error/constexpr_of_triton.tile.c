kernel void k(float *Out, tl.constexpr BLOCK)
{
    store(Out, BLOCK);
}
---
constexpr_of_triton.tile.c:1:27: error: unknown type 'tl'
kernel void k(float *Out, tl.constexpr BLOCK)
                          ^~
hint: built-ins have no prefix; a constant is a parameter 'constexpr int NAME'
