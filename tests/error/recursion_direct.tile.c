static int f(int n)
{
    return f(n - 1);
}
kernel void k(int *X, int n)
{
    store(X, f(n));
}
---
recursion_direct.tile.c:3:12: error: recursion is not supported in kernels: 'f' calls itself
    return f(n - 1);
           ^
hint: write a loop
