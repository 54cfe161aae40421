static int f(int x)
{
    return x;
}
---
tilec: error: 'no_kernel.tile.c' has no kernel
