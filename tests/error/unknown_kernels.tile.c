// Lines about kernels: the kernel and what is tuned must exist.
static int helper(int x)
{
    return x;
}
kernel void scale(float *X, int n, constexpr int BLOCK)
{
}
launch_grid(scales, n);
launch_grid(helper, n);
tune(scale, BLOK, 1);
tune(scale, n, 1);
tune(scale, X, 1);
tune(scale, nothing_like_it, 1);
tune(scale, BLOCK, 1, 2);
tune(scale, BLOCK, 4);
---
unknown_kernels.tile.c:9:13: error: there is no kernel 'scales'
launch_grid(scales, n);
            ^~~~~~
hint: did you mean 'scale'?
unknown_kernels.tile.c:10:13: error: 'helper' is a helper, not a kernel
launch_grid(helper, n);
            ^~~~~~
unknown_kernels.tile.c:2:12: note: it is declared here
static int helper(int x)
           ^~~~~~
unknown_kernels.tile.c:11:13: error: the kernel has no constexpr parameter 'BLOK'
tune(scale, BLOK, 1);
            ^~~~
hint: did you mean 'BLOCK'?
unknown_kernels.tile.c:12:13: error: only a constexpr parameter can be tuned, and 'n' is none
tune(scale, n, 1);
            ^
hint: declare it as 'constexpr int n'
unknown_kernels.tile.c:13:13: error: only a constexpr parameter can be tuned, and 'X' is none
tune(scale, X, 1);
            ^
unknown_kernels.tile.c:14:13: error: the kernel has no constexpr parameter 'nothing_like_it'
tune(scale, nothing_like_it, 1);
            ^~~~~~~~~~~~~~~
unknown_kernels.tile.c:16:13: error: 'BLOCK' is tuned twice
tune(scale, BLOCK, 4);
            ^~~~~
unknown_kernels.tile.c:15:13: note: the first is here
tune(scale, BLOCK, 1, 2);
            ^~~~~
