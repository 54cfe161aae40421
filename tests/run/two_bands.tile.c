// A mask that holds in two bands has no place from which on all is settled but behind both, and none before
// which it is but in front of both, whichever band is the longer one.
// run: X=@x.npy Out=new:i32[6] a=0 b=600 c=900 d=950 --out Out=out.npy
// run: X=@x.npy Out=new:i32[6] a=40 b=90 c=300 d=1024 --out Out=out.npy
// array x.npy i32[1024]: 1
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(const int *restrict X, int *restrict Out, int a, int b, int c, int d)
{
    int i = arange(0, 1024);
    bool in = (i >= a && i < b) || (i >= c && i < d);
    int x = load(X + i, in, 0);
    store(Out, sum(x));
    int last = where(in, i, -1);
    store(Out + 1, max(last));
    int first = where(in, i, 5000);
    store(Out + 2, min(first));
    store(Out + 3, max(load(X + i, in, -7) + where(in, i, 0)));
    int kept = where(in, load(X + i, in, 0) * i, 3);
    store(Out + 4, sum(kept));
    store(Out + 5, max(where(in && i != d - 1, i, 0)));
}
---
run 1
Out i32[6]
650 949 0 950 227047 948
run 2
Out i32[6]
774 1023 40 1024 482901 1022
