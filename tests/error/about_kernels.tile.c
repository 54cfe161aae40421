// Lines about kernels whose form is wrong.
kernel void scale(float *X, int n, constexpr int BLOCK)
{
}
launch_grid();
launch_grid(scale);
launch_grid(scale, 1, 2, 3, 4);
launch_grid(scale, float);
tune(scale);
tune(scale, BLOCK);
tune(scale, BLOCK, .a = 1);
require(scale);
require(scale, 4);
launch_require(scale, n > 0);
launch_require(scale, n > 0, 1);
static_require(1 < 2);
static_require("text");
launch_grid(scale, 1)
---
about_kernels.tile.c:5:13: error: unexpected ')', expected the name of a kernel
launch_grid();
            ^
about_kernels.tile.c:6:1: error: expected one to three numbers of programs here
launch_grid(scale);
^~~~~~~~~~~
about_kernels.tile.c:7:29: error: expected one to three numbers of programs here
launch_grid(scale, 1, 2, 3, 4);
                            ^
about_kernels.tile.c:8:20: error: expected an expression
launch_grid(scale, float);
                   ^~~~~
about_kernels.tile.c:9:11: error: expected ',' behind the name of the kernel
tune(scale);
          ^
about_kernels.tile.c:10:18: error: expected ',' behind the name of the parameter
tune(scale, BLOCK);
                 ^
about_kernels.tile.c:11:20: error: an argument with a name cannot stand here
tune(scale, BLOCK, .a = 1);
                   ^~~~~~
about_kernels.tile.c:12:1: error: expected at least one 'name = value' here
require(scale);
^~~~~~~
about_kernels.tile.c:13:16: error: expected 'name = value'
require(scale, 4);
               ^
about_kernels.tile.c:14:1: error: a text must say what is required
launch_require(scale, n > 0);
^~~~~~~~~~~~~~
hint: write '(condition, "what is wrong when it does not hold")'
about_kernels.tile.c:15:1: error: a text must say what is required
launch_require(scale, n > 0, 1);
^~~~~~~~~~~~~~
hint: write '(condition, "what is wrong when it does not hold")'
about_kernels.tile.c:17:1: error: expected one condition here
static_require("text");
^~~~~~~~~~~~~~
about_kernels.tile.c:18:22: error: expected ';' behind ')'
launch_grid(scale, 1)
                     ^
