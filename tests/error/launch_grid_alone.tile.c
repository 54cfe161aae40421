launch_grid(cdiv(n, 4));
kernel void a(float *X, int n)
{
    float s = sum(zeros(4, float));
    store(X, s[0]);
    store(X + arange(0, 16, 2), 1);
}
---
launch_grid_alone.tile.c:1:13: error: the name of the kernel comes first
launch_grid(cdiv(n, 4));
            ^~~~
hint: write 'launch_grid(KERNEL, ...)'
launch_grid_alone.tile.c:4:25: error: 'type' of 'zeros' must be an element type, such as float
    float s = sum(zeros(4, float));
                        ^
hint: write zeros(float, ...)
launch_grid_alone.tile.c:6:29: error: too many arguments for 'arange'
    store(X + arange(0, 16, 2), 1);
                            ^
hint: begin + step * arange(0, n) has another step
