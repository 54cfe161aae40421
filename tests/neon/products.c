/*
 * Runs a matrix product that tilec compiled for AArch64 and compares it with plain loops: built by
 * tests/script/neon_products.sh, under qemu-user. Data are small whole numbers, so results are exact.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kernel(const uint64_t *arguments, const int64_t grid[3], int64_t begin, int64_t end,
            unsigned char *scratch) __asm__(SYMBOL);

enum { SCRATCH = 5 << 20, BLOCK = 32 };

/* Small integers in each storage type: TYPE is f, h, b or i. */
static void put(void *data, long i, int value)
{
#if TYPE == 'f'
    ((float *)data)[i] = (float)value;
#elif TYPE == 'h'
    _Float16 half = (_Float16)value;
    memcpy((char *)data + 2 * i, &half, 2);
#elif TYPE == 'b'
    float wide = (float)value;
    uint32_t bits;
    memcpy(&bits, &wide, 4);
    ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
#else
    ((int8_t *)data)[i] = (int8_t)value;
#endif
}

static double get(const void *data, long i)
{
#if TYPE == 'f'
    return ((const float *)data)[i];
#elif TYPE == 'h'
    _Float16 half;
    memcpy(&half, (const char *)data + 2 * i, 2);
    return (double)half;
#elif TYPE == 'b'
    uint32_t bits = (uint32_t)((const uint16_t *)data)[i] << 16;
    float wide;
    memcpy(&wide, &bits, 4);
    return wide;
#else
    return ((const int32_t *)data)[i];
#endif
}

static int check(long m, long n, long k, unsigned char *scratch)
{
    void *a = calloc((size_t)(m * k + 1), 4), *b = calloc((size_t)(k * n + 1), 4);
    void *c = calloc((size_t)(m * n + 1), 4);
    int *x = calloc((size_t)(m * k + 1), sizeof *x), *y = calloc((size_t)(k * n + 1), sizeof *y);
    for (long i = 0; i < m * k; i++)
        put(a, i, x[i] = (int)(i * 7 % 5) - 2);
    for (long i = 0; i < k * n; i++)
        put(b, i, y[i] = (int)(i * 5 % 3) - 1);
    uint64_t arguments[] = {(uint64_t)a, (uint64_t)b, (uint64_t)c, (uint64_t)m, (uint64_t)n,
                            (uint64_t)k};
    int64_t grid[] = {(m + BLOCK - 1) / BLOCK, (n + BLOCK - 1) / BLOCK, 1};
    int64_t programs = grid[0] * grid[1], cut = programs / 3;
    kernel(arguments, grid, 0, cut, scratch);
    kernel(arguments, grid, cut, programs, scratch);
    for (long i = 0; i < m; i++)
        for (long j = 0; j < n; j++) {
            int want = 0;
            for (long l = 0; l < k; l++)
                want += x[i * k + l] * y[l * n + j];
            if (get(c, i * n + j) != want) {
                printf("%ldx%ldx%ld: element %ld, %ld is %g, expected %d\n", m, n, k, i, j,
                       get(c, i * n + j), want);
                return 1;
            }
        }
    free(a);
    free(b);
    free(c);
    free(x);
    free(y);
    return 0;
}

int main(void)
{
    static const long sizes[][3] = {{1, 1, 1},    {1, 40, 9},    {5, 16, 3},    {6, 17, 33},
                                    {33, 31, 32}, {64, 64, 64},  {100, 70, 65}, {7, 130, 1},
                                    {3, 3, 0},    {40, 200, 1100}};
    unsigned char *scratch = aligned_alloc(64, SCRATCH);
    int wrong = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !wrong; i++)
        wrong = check(sizes[i][0], sizes[i][1], sizes[i][2], scratch);
    return wrong;
}
