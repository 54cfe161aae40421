// A case has the type of what it is compared with, as in C, whether that is an index or not.
// run: X=@x.npy Out=zeros:i32[16] --out Out=out.npy
// array x.npy i32[2]: -40 5
#include <tilec/kernel.h>
launch_grid(k, 1);
static int of_int(int x)
{
    switch (x) {
    case 0xffffffffu:
        return 1;
    case 4294967256: /* -40 in int */
        return 2;
    case 1ul << 32 | 5:
        return 3;
    default:
        return 4;
    }
}
static int of_long(long x)
{
    switch (x) {
    case 0xffffffffu:
        return 1;
    case 0xffffffffffffffff:
        return 2;
    case -40:
        return 3;
    default:
        return 4;
    }
}
static int of_unsigned(unsigned x)
{
    switch (x) {
    case -1:
        return 1;
    case -40:
        return 2;
    default:
        return 4;
    }
}
kernel void k(const int *restrict X, int *restrict Out)
{
    int p = program_id(0);
    Out[0] = of_int(p - 1); /* indices */
    Out[1] = of_int(p - 40);
    Out[2] = of_int(p + 5);
    Out[3] = of_long(p - 1);
    Out[4] = of_long(p - 1l);
    Out[5] = of_long(p - 40);
    Out[6] = of_int(X[0]);
    Out[7] = of_int(X[1]);
    Out[8] = of_long(X[0]);
    Out[9] = of_unsigned(X[0]);
    Out[10] = of_unsigned(p - 1);
    Out[11] = of_int(-1); /* constants */
    Out[12] = of_long(-1);
    Out[13] = of_unsigned(-1);
}
---
run 1
switch_converts.tile.c:11:10: warning: the case takes 'int': the constant 4294967256 becomes -40
    case 4294967256: /* -40 in int */
         ^~~~~~~~~~
hint: '(int)' in front of it says that this is meant
switch_converts.tile.c:13:10: warning: the case takes 'int': the constant 4294967301 becomes 5
    case 1ul << 32 | 5:
         ^~~~~~~~~~~~~
hint: '(int)' in front of it says that this is meant
Out i32[16]
1 2 3 2 2 3 2 3 3 2 1 1 2 1 0 0
