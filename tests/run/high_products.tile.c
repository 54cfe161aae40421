// Upper halves of products and bits below the lowest one, in every width.
// run: :words X=@x.npy Y=@y.npy Out=new:i32[2,8] --out Out=out.npy
// run: :others A=@a.npy B=@b.npy C=@c.npy D=@d.npy E=@e.npy Small=new:i16[3,8] Far=new:i64[2,8] Zeros=new:i32[4,8] --out Small=s.npy --out Far=f.npy --out Zeros=z.npy
// array x.npy i32[8]: 0 1 -1 -2147483648 2147483647 65536 -65537 1000000007
// array y.npy i32[8]: 5 -1 -1 -2147483648 2147483647 65536 65536 -1000000007
// array a.npy i8[8]: 0 1 -1 -128 127 -128 16 -16
// array b.npy u8[8]: 0 1 255 128 127 16 240 85
// array c.npy i16[8]: 0 1 -1 -32768 32767 256 -256 12345
// array d.npy i64[8]: 0 1 -1 -9223372036854775808 9223372036854775807 4294967296 -4294967297 3
// array e.npy u64[8]: 0 1 18446744073709551615 9223372036854775808 12297829382473034411 4294967296 65536 3
#include <tilec/kernel.h>
launch_grid(words, 1);
kernel void words(const int *X, const int *Y, int *Out)
{
    int i = arange(0, 8), x = load(X + i), y = load(Y + i);
    store(Out + i, mulhi(x, y));
    store(Out + 8 + i, mulhi((unsigned)x, (unsigned)y));
}
launch_grid(others, 1);
kernel void others(const int8_t *A, const uint8_t *B, const int16_t *C, const int64_t *D, const uint64_t *E,
                   int16_t *Small, int64_t *Far, int *Zeros)
{
    int i = arange(0, 8);
    int8_t a = load(A + i);
    uint8_t b = load(B + i);
    int16_t c = load(C + i);
    int64_t d = load(D + i);
    uint64_t e = load(E + i);
    store(Small + i, mulhi(a, a));
    store(Small + 8 + i, mulhi(b, b));
    store(Small + 16 + i, mulhi(c, c));
    store(Far + i, mulhi(d, d));
    store(Far + 8 + i, mulhi(e, (uint64_t)3));
    store(Zeros + i, ctz(a) * 100 + ctz(b));
    store(Zeros + 8 + i, ctz(c));
    store(Zeros + 16 + i, ctz(d));
    store(Zeros + 24 + i, ctz(e));
}
---
run 1
Out i32[2,8]
0 -1 0 1073741824 1073741823 1 -2 -232830647
0 0 -2 1073741824 1073741823 1 65534 767169360
run 2
Small i16[3,8]
0 0 0 64 63 64 1 1
0 0 254 64 63 1 225 28
0 0 0 16384 16383 1 1 2325
Far i64[2,8]
0 0 0 4611686018427387904 4611686018427387903 1 1 0
0 0 2 1 2 0 0 0
Zeros i32[4,8]
808 0 0 707 0 704 404 400
16 0 0 15 0 8 8 0
64 0 0 63 0 32 0 0
64 0 0 63 0 32 16 0
