// run: Out=new:f32[8] I=new:i32[4] n=5 --out Out=out.npy --out I=i.npy
#include <tilec/kernel.h>
enum {
    ONE = 1,
    TWO,
    FOUR = 4,
    FIVE,
};
enum mode { FAST, SLOW };
static const int WIDTH = 8;
const float PI = 3.14f;
launch_grid(k, 1);
kernel void k(float *Out, int *I, int n)
{
    for (int i = 0; i < WIDTH; i++)
        Out[i] = PI * i;
    Out[2] += 3.0f;
    *Out = 5;
    I[0] = sizeof(half) * FIVE + SLOW;
    I[1] = n;
    I[1]++;
    --I[1];
    I[2] = 0;
    for (int k = 0; k < n; k++)
        I[2] += k;
    I[3] = sum(arange(0, WIDTH)) * TWO;
}
-- -run 1 Out f32[8] 5 3.1400001 9.28000069 9.42000008 12.5600004 15.7000008 18.8400002 21.9800014 I
       i32[4] 11 5 10 56
---
run 1
memory_assigned.tile.c:28:1: error: unexpected '--', expected a kernel, a static function or a constant
-- -run 1 Out f32[8] 5 3.1400001 9.28000069 9.42000008 12.5600004 15.7000008 18.8400002 21.9800014 I
^~
[status 1]
