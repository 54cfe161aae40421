const int t[] = {1, [4096] = 2};
kernel void k(int *X)
{
    store(X, t[0]);
}
---
table_elements.tile.c:1:22: error: a table has at most 4096 elements
const int t[] = {1, [4096] = 2};
                     ^~~~
