// Names of types that others (tilec's own command line among them) use, CUDA's fast functions, and a word of Triton's.
kernel void k(const float *X, float *Out)
{
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
    float x = load(X + arange(0, 8));
    float y = __sinf(x) + __logf(x) + __fdividef(x, 2.0f);
    float z = sum(x, keepdims);
    float w = sum(x, 1 + keep_dims);
}
---
words_of_others.tile.c:4:5: error: unknown type 'fp32'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
    ^~~~
hint: write 'float'
words_of_others.tile.c:4:17: error: unknown type 'fp64'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
                ^~~~
hint: write 'double'
words_of_others.tile.c:4:29: error: unknown type 'u32'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
                            ^~~
hint: write 'uint32_t'
words_of_others.tile.c:4:40: error: unknown type 'u8'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
                                       ^~
hint: write 'uint8_t'
words_of_others.tile.c:4:50: error: unknown type 'i64'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
                                                 ^~~
hint: write 'int64_t'
words_of_others.tile.c:4:61: error: unknown type 'i32'
    fp32 a = 1; fp64 b = 1; u32 c = 1; u8 d = 1; i64 e = 1; i32 f = 1;
                                                            ^~~
hint: write 'int'
words_of_others.tile.c:6:15: error: unknown function '__sinf'
    float y = __sinf(x) + __logf(x) + __fdividef(x, 2.0f);
              ^~~~~~
hint: sin(x) takes every floating type
words_of_others.tile.c:6:27: error: unknown function '__logf'
    float y = __sinf(x) + __logf(x) + __fdividef(x, 2.0f);
                          ^~~~~~
hint: log(x) takes every floating type
words_of_others.tile.c:6:39: error: unknown function '__fdividef'
    float y = __sinf(x) + __logf(x) + __fdividef(x, 2.0f);
                                      ^~~~~~~~~~
hint: x / y is correctly rounded
words_of_others.tile.c:7:22: error: unknown name 'keepdims'
    float z = sum(x, keepdims);
                     ^~~~~~~~
hint: keep
words_of_others.tile.c:8:26: error: unknown name 'keep_dims'
    float w = sum(x, 1 + keep_dims);
                         ^~~~~~~~~
hint: keep
