kernel void k(const half *H, float *Out)
{
    store(Out, fma(H[0], H[1], H[2]));
}
---
fma_half.tile.c:3:16: error: 'fma' takes float or double, not 'half'
    store(Out, fma(H[0], H[1], H[2]));
               ^~~~~~~~~~~~~~~~~~~~~
hint: cast an operand to float: fma(cast(float, x), y, z)
