// Sums of products of bytes and shorts along rows, in pairs (reduce_products.c): rows that end together and rows behind
// a mask, a factor that all rows share, factors that are computed; and one that has no 16 bits. The least shorts' pair wraps.
// run: :rows X=@bytes.npy Y=@signs.npy Out=new:i32[16] n=16 --out Out=out.npy
// run: :rows X=@bytes.npy Y=@signs.npy Out=new:i32[16] n=13 --out Out=out.npy
// run: :words X=@words.npy Y=@least.npy Out=new:u32[8] n=64 --out Out=out.npy
// run: :words X=@words.npy Y=@least.npy Out=new:u32[8] n=57 --out Out=out.npy
// run: :shared X=@bytes.npy Y=@signs.npy Out=new:u32[16] --out Out=out.npy
// run: :nibbles X=@bytes.npy Y=@signs.npy Out=new:i32[16] --out Out=out.npy
// run: :unsigned_words X=@unsigned.npy Y=@least.npy Out=new:u32[8] --out Out=out.npy
// run: :carried X=@bytes.npy Y=@signs.npy Out=new:i32[2] n=500 --out Out=out.npy
// array bytes.npy u8[512]: 255 0 1 128 7 16 200
// array signs.npy i8[512]: -128 127 -1 5 -77
// array words.npy i16[512]: -32768 -32768 32767 1 -1 255
// array unsigned.npy u16[512]: 65535 1 32768 7
// array least.npy i16[512]: -32768 -32768 -32768 -32768 -1
#include <tilec/kernel.h>
launch_grid(rows, 1);
kernel void rows(const uint8_t *restrict X, const int8_t *restrict Y, int *restrict Out, int n)
{
    int row = program_id(0) + expand_dims(arange(0, 16), 1), i = expand_dims(arange(0, 32), 0);
    int x = load(X + row * 32 + i, row < n), y = load(Y + row * 32 + i, row < n);
    store(Out + arange(0, 16), sum(x * y, axis(1)), arange(0, 16) < n);
}
launch_grid(words, 1);
kernel void words(const int16_t *restrict X, const int16_t *restrict Y, uint32_t *restrict Out, int n)
{
    int row = program_id(0) + expand_dims(arange(0, 8), 1), i = expand_dims(arange(0, 64), 0);
    uint32_t product = load(X + row * 64 + i, i < n) * load(Y + row * 64 + i, i < n);
    store(Out + arange(0, 8), sum(product, axis(1)));
}
launch_grid(shared, 1);
kernel void shared(const uint8_t *restrict X, const int8_t *restrict Y, uint32_t *restrict Out)
{
    int row = program_id(0) + expand_dims(arange(0, 16), 1), i = expand_dims(arange(0, 32), 0);
    int y = load(Y + i);
    int x = load(X + row * 32 + i) - 128;
    store(Out + arange(0, 16), sum((uint32_t)(x * y), axis(1)));
}
launch_grid(nibbles, 1);
kernel void nibbles(const uint8_t *restrict X, const int8_t *restrict Y, int *restrict Out)
{
    int row = program_id(0) + expand_dims(arange(0, 16), 1), i = expand_dims(arange(0, 16), 0);
    int x = load(X + row * 16 + i), low = load(Y + row * 32 + i), high = load(Y + row * 32 + 16 + i);
    int least = sum(((x & 15) - 8) * low, axis(1)), most = sum(((x >> 4) - 8) * high, axis(1));
    store(Out + arange(0, 16), least + most);
}
launch_grid(unsigned_words, 1);
kernel void unsigned_words(const uint16_t *restrict X, const int16_t *restrict Y, uint32_t *restrict Out)
{
    int row = program_id(0) + expand_dims(arange(0, 8), 1), i = expand_dims(arange(0, 64), 0);
    uint32_t x = load(X + row * 64 + i), y = (uint32_t)(int)load(Y + row * 64 + i);
    store(Out + arange(0, 8), sum(x * y, axis(1)));
}
launch_grid(carried, 2);
kernel void carried(const uint8_t *restrict X, const int8_t *restrict Y, int *restrict Out, int n)
{
    int total = zeros(int, 128), begin = program_id(0);
    for (int first = begin; first < n; first += 128) {
        int i = first + arange(0, 128);
        total += load(X + i, i < n) * load(Y + i - begin, i < n);
    }
    store(Out + begin, sum(total));
}
---
run 1
Out i32[16]
-29591 -61046 -48025 -34171 -51703 -43593 -25410 -46791 -28457 -68015 -45018 3122 -61247 -46065 -45854 -35067
run 2
Out i32[16]
-29591 -61046 -48025 -34171 -51703 -43593 -25410 -46791 -28457 -68015 -45018 3122 -61247 -1515870811 -1515870811 -1515870811
run 3
Out u32[8]
1007222276 2072608261 3146415619 2080898565 998931972 3146382852 4228480516 2080996613
run 4
Out u32[8]
4228448003 4228447748 2089319940 4236770821 3154771459 3163028996 4236803588 4228447748
run 5
Out u32[16]
27369 21893 30693 11942 10967 13367 12374 27369 21893 30693 11942 10967 13367 12374 27369 21893
run 6
Out i32[16]
1454 1596 3792 3946 4471 2060 166 1637 1928 3261 619 -1812 -1300 -897 696 2147
run 7
Out u32[8]
1070465003 3217850348 1070497770 2144174059 1070694372 1070465003 3217850348 1070497770
run 8
Out i32[2]
-638372 -623260
