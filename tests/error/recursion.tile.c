static int even(int n)
{
    return n == 0 ? 1 : odd(n - 1);
}
static int odd(int n)
{
    return n == 0 ? 0 : even(n - 1);
}
kernel void k(int *X, int n)
{
    store(X, even(n));
}
---
recursion.tile.c:3:25: error: recursion is not supported in kernels: 'even' calls 'odd', which calls it again
    return n == 0 ? 1 : odd(n - 1);
                        ^~~
hint: write a loop
