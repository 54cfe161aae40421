#include <tilec/kernel.h>
launch_grid(f, 1);
kernel void f(const int8_t *restrict A, const int8_t *restrict B, int *restrict Out, int n)
{
    auto a = tile_load(view(A, 64, 63), 0, 0, 64, 63);
    int acc = zeros(int, 64, 63);
    for (int j = 0; j < n; j += 64) {
        int s = dot(a, tile_load(view(B, n, 64), j, 0, 63, 64));
        acc = dot((int8_t)s, a, acc);
    }
    tile_store(view(Out, 64, 63), 0, 0, acc);
}
---
dots_of_bytes.tile.c:8:17: perf: the products of 'f' run one program at a time: integers are multiplied one by one
        int s = dot(a, tile_load(view(B, n, 64), j, 0, 63, 64));
                ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: docs/matrix.md says which kernels run as one matrix product
