// Rows behind pointers.
kernel void k(float **Rows, int n)
{
    for (int i = 0; i < n; i++)
        Rows[i][0] = 1;
}
---
pointer_rows.tile.c:2:22: error: pointers to pointers are not supported in kernels
kernel void k(float **Rows, int n)
                     ^
hint: rows of one array are 'X + row * N', where N is what lies between two
