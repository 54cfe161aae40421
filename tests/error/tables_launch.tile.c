const int t[3] = {1, 2, 3};
launch_grid(k, t[0], t[n & 1]);
kernel void k(float *X, int n)
{
    store(X, t[n]);
}
---
tables_launch.tile.c:2:22: error: in front of a launch, a table takes a constant index only
launch_grid(k, t[0], t[n & 1]);
                     ^~~~~~~~
