launch_grid(k, ceil(n / 2.5f));
tune(k, BLOCK, 256);
kernel void k(float *Out, int n, constexpr int BLOCK)
{
    store(Out + arange(0, BLOCK), 1.0f);
}
---
grid_of_floats.tile.c:1:16: error: a grid must be one integer, not 'float'
launch_grid(k, ceil(n / 2.5f));
               ^~~~~~~~~~~~~~
hint: cdiv(n, m) divides integers and rounds up; a cast makes an integer
