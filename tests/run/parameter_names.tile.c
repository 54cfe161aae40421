// run: X=new:f32[4] grid_x=2.5 grid_y=3 grid_z=1 i64=4 --out X=x.npy
// Names that the compiler uses for what it adds beside a kernel's own parameters.
#include <tilec/kernel.h>
launch_grid(k, cdiv(i64, 4));
kernel void k(float *X, float grid_x, int grid_y, int grid_z, int i64)
{
    int i = program_id(0) * 4 + arange(0, 4);
    store(X + i, grid_x * i + (grid_y - grid_z), i < i64);
}
---
run 1
X f32[4]
2 4.5 7 9.5
