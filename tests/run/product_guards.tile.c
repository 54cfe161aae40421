// Two stores whose conditions are as many, but others: each stores under its own.
// run: :f A=@a.npy B=@b.npy C=new:f32[2,3] D=new:f32[2,3] p=5 q=1 --grid 1 --out C=c.npy --out D=d.npy
// run: :f A=@a.npy B=@b.npy C=new:f32[2,3] D=new:f32[2,3] p=1 q=5 --grid 1 --out C=c.npy --out D=d.npy
// run: :f A=@a.npy B=@b.npy C=new:f32[2,3] D=new:f32[2,3] p=5 q=5 --grid 1 --out C=c.npy --out D=d.npy
// array a.npy f32[2,3]: 1 2 3 4 5 6
// array b.npy f32[3,3]: 1 0 2 0 3
#include <tilec/kernel.h>
kernel void f(const float *restrict A, const float *restrict B, float *restrict C, float *restrict D, int p,
              int q)
{
    auto i = expand_dims(arange(0, 4), 1), j = expand_dims(arange(0, 4), 0);
    float s = dot(tile_load(view(A, 2, 3), 0, 0, 4, 4), tile_load(view(B, 3, 3), 0, 0, 4, 4));
    store(C + i * 3 + j, s, i < 2 && 3 < p && j < 3 && 3 < q);
    store(D + i * 3 + j, s, 3 < p && i < 2 && p > 3 && j < 3);
}
---
run 1
C f32[2,3]
nan nan nan
nan nan nan
D f32[2,3]
1 12 4
4 27 13
run 2
C f32[2,3]
nan nan nan
nan nan nan
D f32[2,3]
nan nan nan
nan nan nan
run 3
C f32[2,3]
1 12 4
4 27 13
D f32[2,3]
1 12 4
4 27 13
