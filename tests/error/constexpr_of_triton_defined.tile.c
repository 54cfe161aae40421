// args: -D BLOCK=256
// A parameter as Triton declares it stays a name, where -D sets it.
kernel void k(float *Out, BLOCK: tl.constexpr)
{
    store(Out + arange(0, BLOCK), 1.0f);
}
---
constexpr_of_triton_defined.tile.c:3:27: error: unknown type 'BLOCK'
kernel void k(float *Out, BLOCK: tl.constexpr)
                          ^~~~~
hint: write 'constexpr int BLOCK'
