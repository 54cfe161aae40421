kernel void k(const half *H, const bfloat *B, float *Out)
{
    store(Out, H[0] + B[0]);
    store(Out, where(H[0] > 1, H[0], B[0]));
}
---
half_bfloat.tile.c:3:21: error: half and bfloat do not mix ('half' and 'bfloat')
    store(Out, H[0] + B[0]);
                    ^
hint: cast one of them, or both to float
half_bfloat.tile.c:4:16: error: half and bfloat do not mix ('half' and 'bfloat')
    store(Out, where(H[0] > 1, H[0], B[0]));
               ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: cast one of them, or both to float
