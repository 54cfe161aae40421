kernel void a(float *Out, BLOCK: tl.constexpr)
{
    store(Out + arange(0, BLOCK), 1.0f);
}
kernel void b(float *Out, BLOCK: constexpr, n: int)
{
    store(Out + arange(0, BLOCK), 1.0f);
}
---
constexpr_behind_of_triton.tile.c:1:27: error: unknown type 'BLOCK'
kernel void a(float *Out, BLOCK: tl.constexpr)
                          ^~~~~
hint: write 'constexpr int BLOCK'
constexpr_behind_of_triton.tile.c:5:27: error: unknown type 'BLOCK'
kernel void b(float *Out, BLOCK: constexpr, n: int)
                          ^~~~~
hint: write 'constexpr int BLOCK'
