// What each case does: as C says, for values in all ranges, in loops, with programs that take different ways.
// run: X=@x.npy Out=new:i32[12] Sum=zeros:i32[2] n=12 --out Out=out.npy --out Sum=sum.npy
// array x.npy i8[12]: 0 1 2 3 4 -1 -128 127 9 10 11 12
#include <tilec/kernel.h>
launch_grid(k, n);
static int weight(int kind)
{
    switch (kind) {
    case -1:
        return 100;
    case 127: case -128:
        return 200;
    default:
        return kind;
    }
}
kernel void k(const int8_t *X, int *Out, int *Sum, int n)
{
    int p = program_id(0), total = 0;
    for (int i = 0; i <= p; i++) {
        switch (X[i]) {
        case 0:
            continue;
        case 1:
        case 2:
            total += 10;
            break;
        default:
            total += 1;
            if (X[i] == 11)
                return;
            break;
        case 10: {
            total *= 2;
            break;
        }
        }
        total += 1000;
    }
    switch (p) {
    case 0:
        atomic_add(Sum, weight(X[5]));
        break;
    case 1:
        atomic_add(Sum + 1, weight(X[6]));
    }
    store(Out + p, total + weight(X[p]));
}
---
run 1
Out i32[12]
0 1011 2022 3024 4026 5123 6224 7225 8035 17062 -1515870811 -1515870811
Sum i32[2]
100 200
