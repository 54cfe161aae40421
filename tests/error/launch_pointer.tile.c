// args: -D B=4
launch_grid(k, X);
launch_require(k, program_id(0) > 1, "text");
launch_require(k, arange(0, 4), "text");
launch_require(k, sum(arange(0, 4)) > n, "text");
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, 1);
}
---
launch_pointer.tile.c:2:16: error: 'X' cannot be used here: it is not known before a launch
launch_grid(k, X);
               ^
launch_pointer.tile.c:3:19: error: 'program_id' has no value outside of a kernel
launch_require(k, program_id(0) > 1, "text");
                  ^~~~~~~~~~~~~
launch_pointer.tile.c:4:19: error: a launch requirement must be one truth, not 'int [4]'
launch_require(k, arange(0, 4), "text");
                  ^~~~~~~~~~~~
launch_pointer.tile.c:5:19: error: what a launch computes must be made of scalars
launch_require(k, sum(arange(0, 4)) > n, "text");
                  ^~~~~~~~~~~~~~~~~~~~~
