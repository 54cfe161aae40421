// Types of 4 bits, and structs of blocks, for which there is another way.
typedef struct { half d; int8_t q[32]; } block;
kernel void k(const int4_t *Q, float *Out)
{
    store(Out, 1.0f);
}
kernel void l(const uint8_t *Q, float *Out)
{
    const half *scale = (const half *)Q;
    store(Out, scale[0]);
}
---
four_bits.tile.c:2:1: error: 'typedef' is not supported in kernels
typedef struct { half d; int8_t q[32]; } block;
^~~~~~~
hint: write '#define NAME type'; members of a struct are parameters of their own
four_bits.tile.c:3:21: error: unknown type 'int4_t'
kernel void k(const int4_t *Q, float *Out)
                    ^~~~~~
hint: two of 4 bits are a uint8_t q: (q & 15) - 8 and (q >> 4) - 8, say
four_bits.tile.c:9:25: error: casts of pointers are not supported in kernels
    const half *scale = (const half *)Q;
                        ^~~~~~~~~~~~~~
hint: declare the parameter with the type that it has in memory, and pass memory of two types twice; bitcast(type, value) converts what was loaded
