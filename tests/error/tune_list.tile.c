tune(a, BLOCK, {16, 32});
tune(b, BLOCK, [16, 32]);
kernel void a(float *Out, constexpr int BLOCK)
{
    store(Out + arange(0, BLOCK), 1);
}
kernel void b(float *Out, constexpr int BLOCK)
{
    store(Out + arange(0, BLOCK), 1);
}
---
tune_list.tile.c:1:16: error: candidates stand in no list
tune(a, BLOCK, {16, 32});
               ^
hint: write 'tune(KERNEL, NAME, value, value)'
tune_list.tile.c:2:16: error: candidates stand in no list
tune(b, BLOCK, [16, 32]);
               ^
hint: write 'tune(KERNEL, NAME, value, value)'
