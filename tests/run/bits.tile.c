// How many bits are set, and above the highest one, in every width; an index counts as the int that it is in C.
// run: :counts X=@x.npy Small=@small.npy Bytes=@bytes.npy Long=@long.npy Out=new:i32[4,8] --out Out=out.npy
// run: :rounded X=@f.npy H=@h.npy D=@d.npy Out=new:f32[3,8] Q=new:i8[8] --out Out=out.npy --out Q=q.npy
// array x.npy i32[8]: 0 1 -1 255 -2147483648 2147483647 65536 12345
// array small.npy i16[8]: 0 1 -1 255 -32768 32767 256 -2
// array bytes.npy u8[8]: 0 1 255 128 127 16 240 15
// array long.npy u64[8]: 0 1 18446744073709551615 4294967296 9223372036854775808 255 65535 6148914691236517205
// array f.npy f32[8]: 0.5 1.5 2.5 -0.5 -1.5 nan inf 4194305.5
// array h.npy f16[8]: 0.5 1.5 2.5 -0.5 -2.5 1023.5 0.25 -0.75
// array d.npy f64[8]: 0.5 1.5 2.5 -0.5 -2.5 4503599627370495.5 0.25 126.5
#include <tilec/kernel.h>
launch_grid(counts, 1);
kernel void counts(const int *X, const int16_t *Small, const uint8_t *Bytes, const uint64_t *Long, int *Out)
{
    int i = arange(0, 8);
    store(Out + i, popcount(load(X + i)) * 100 + clz(load(X + i)));
    store(Out + 8 + i, popcount(load(Small + i)) * 100 + clz(load(Small + i)));
    store(Out + 16 + i, popcount(load(Bytes + i)) * 100 + clz(load(Bytes + i)));
    store(Out + 24 + i, popcount(load(Long + i)) * 100 + clz(load(Long + i)) + clz(i - 1) - clz(i - 1));
}
launch_grid(rounded, 1);
kernel void rounded(const float *restrict X, const half *restrict H, const double *restrict D,
                    float *restrict Out, int8_t *restrict Q)
{
    int i = arange(0, 8);
    store(Out + i, rint(load(X + i)));
    store(Out + 8 + i, rint(load(H + i)));
    store(Out + 16 + i, rint(load(D + i)));
    store(Q + i, (int8_t)rint(load(D + i)));
}
---
run 1
Out i32[4,8]
32 131 3200 824 100 3101 115 618
16 115 1600 808 100 1501 107 1500
8 107 800 100 701 103 400 404
64 163 6400 131 100 856 1648 3201
run 2
Out f32[3,8]
0 2 2 -0 -2 nan inf 4194306
0 2 2 -0 -2 1024 0 -1
0 2 2 -0 -2 4.50359963e+15 0 126
Q i8[8]
0 2 2 0 -2 127 0 126
