// A GPU's host computes the offsets and passes them behind the kernel's own parameters: nothing is
// promised of those, such as to be a multiple of 32, whatever lies behind the array of promises.
// run: Out=new:i32[16] a=-1 b=-1 c=-1 d=-1 p5=0 p6=0 p7=0 p8=0 p9=0 p10=0 p11=0 p12=0 p13=0 p14=0 --out Out=out.npy
// run: Out=new:i32[16] a=3 b=-4 c=2 d=-2 p5=0 p6=0 p7=0 p8=0 p9=0 p10=0 p11=0 p12=0 p13=0 p14=0 --out Out=out.npy
// devices: interp cpu msl-host
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int *restrict Out, int64_t a, int64_t b, int64_t c, int64_t d, int p5, int p6, int p7, int p8,
              int p9, int p10, int p11, int p12, int p13, int p14)
{
    int row = expand_dims(arange(0, 4), 1);
    tile_store(view(Out, 4, 1), a * 3 % 7, 0, row + 10);
    tile_store(view(Out + 4, 4, 1), b * 3 % 5, 0, row + 20);
    tile_store(view(Out + 8, 4, 1), c * 5 % 3, 0, row + 30);
    tile_store(view(Out + 12, 4, 1), d * 8 % 9, 0, row + 40);
}
---
run 1
Out i32[16]
13 -1515870811 -1515870811 -1515870811 23 -1515870811 -1515870811 -1515870811 32 33 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811
run 2
Out i32[16]
-1515870811 -1515870811 10 11 22 23 -1515870811 -1515870811 -1515870811 30 31 32 -1515870811 -1515870811 -1515870811 -1515870811
