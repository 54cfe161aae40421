/*
 * Prints a hash of what a kernel that tilec compiled gives for floats of all exponents: built by
 * tests/script/neon_functions.sh for AArch64 and for this machine, whose hashes must agree.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void kernel(const uint64_t *arguments, const int64_t grid[3], int64_t begin, int64_t end,
            unsigned char *scratch) __asm__(SYMBOL);

enum { COUNT = 1 << 18, BLOCK = 1024 };

int main(void)
{
    static float x[COUNT], out[COUNT];
    static unsigned char scratch[1 << 16];
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i << 14 | (i * 40503 >> 3 & 0x3fff);
        memcpy(&x[i], &bits, sizeof bits);
    }
    uint64_t arguments[] = {(uint64_t)x, (uint64_t)out, COUNT};
    int64_t grid[] = {COUNT / BLOCK, 1, 1};
    kernel(arguments, grid, 0, grid[0], scratch);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits;
        memcpy(&bits, &out[i], sizeof bits);
        if (out[i] != out[i]) /* which NaN is not said */
            bits = 0x7fc00000;
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
