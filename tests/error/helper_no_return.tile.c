// args: -D B=4
static int sign(int x)
{
    if (x > 0)
        return 1;
    if (x < 0)
        return -1;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, sign(n));
}
---
helper_no_return.tile.c:2:12: error: 'sign' does not return a value on every path
static int sign(int x)
           ^~~~
helper_no_return.tile.c:11:16: note: 'sign' is called here
    store(Out, sign(n));
               ^~~~~~~
