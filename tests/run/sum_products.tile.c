// Sums of products of small integers, which may be made in pairs (vpmaddwd): of the least ones, whose pair is 2^31.
// run: :signed_words X=@least.npy Y=@least.npy Out=new:i64[2] --out Out=out.npy
// run: :signed_words X=@words.npy Y=@least.npy Out=new:i64[2] --out Out=out.npy
// run: :bytes X=@bytes.npy Y=@signs.npy Out=new:i32[4] --out Out=out.npy
// array least.npy i16[64]: -32768
// array words.npy i16[64]: -32768 32767 1 -1 255
// array bytes.npy u8[70]: 255 0 1 128 7
// array signs.npy i8[70]: -128 127 -1
#include <tilec/kernel.h>
launch_grid(signed_words, 1);
kernel void signed_words(const int16_t *restrict X, const int16_t *restrict Y, int64_t *restrict Out)
{
    int i = arange(0, 64);
    uint32_t product = load(X + i) * load(Y + i);
    store(Out, sum(product));
    store(Out + 1, sum(load(X + i, i < 1) * load(Y + i), axis(0)));
}
launch_grid(bytes, 1);
kernel void bytes(const uint8_t *restrict X, const int8_t *restrict Y, int *restrict Out)
{
    int i = arange(0, 70);
    int j = arange(0, 16);
    store(Out, sum(load(X + i) * load(Y + i)));
    store(Out + 1, sum(load(Y + i) * load(Y + i)));
    store(Out + 2, sum(load(X + i) * load(X + i), axis(0)));
    store(Out + 3, sum(load(X + 3 * j) * load(Y + 2 * j)));
}
---
run 1
Out i64[2]
0 1073741824
run 2
Out i64[2]
4195123200 1073741824
run 3
Out i32[4]
-52416 764206 1140426 -33422
