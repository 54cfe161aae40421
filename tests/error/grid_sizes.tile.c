// The first size of a grid that is too much.
launch_grid(k, n, 1, 1, 2);
kernel void k(float *Out, int n)
{
    store(Out + program_id(0), 1.0f);
}
---
grid_sizes.tile.c:2:25: error: expected one to three numbers of programs here
launch_grid(k, n, 1, 1, 2);
                        ^
