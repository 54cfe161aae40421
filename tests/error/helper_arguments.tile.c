// args: -D B=4
static int f(int x, int y)
{
    return x + y;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, f(n) + f(n, 2, 3));
}
---
helper_arguments.tile.c:8:16: error: 'f' takes 2 arguments, and 1 is given
    store(Out, f(n) + f(n, 2, 3));
               ^~~~
helper_arguments.tile.c:2:12: note: 'f' is declared here
static int f(int x, int y)
           ^
helper_arguments.tile.c:8:23: error: 'f' takes 2 arguments, and 3 are given
    store(Out, f(n) + f(n, 2, 3));
                      ^~~~~~~~~~
helper_arguments.tile.c:2:12: note: 'f' is declared here
static int f(int x, int y)
           ^
