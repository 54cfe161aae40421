#ifndef TILEC_TESTS_RANDOM_C_KERNEL_H
#define TILEC_TESTS_RANDOM_C_KERNEL_H
/*
 * The language's words for a compiler of C that runs random programs (see ../../native.h): each has the
 * meaning that docs/language.md gives it on one element. What C has needs no line here.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef _Float16 half;

#define kernel
#define constexpr const
#define auto __auto_type
#define launch_grid(KERNEL, ...) _Static_assert(1, "")
#define static_require(condition, text) _Static_assert(condition, text)

/* ---- programs and tiles ---------------------------------------------------------------------- */

static int64_t program[3], programs[3];
static int element; /* whose turn it is */

#define program_id(axis) ((int)program[axis])
#define num_programs(axis) ((int)programs[axis])
#define arange(begin, end) ((begin) + element)
#define full(type, value, ...) ((type)(value))
#define broadcast_to(x, ...) (x)

#define FOR_ALL_PROGRAMS(grid, tile)                                                               \
    for (int axis = 0; axis < 3; axis++)                                                           \
        programs[axis] = (grid)[axis];                                                             \
    for (program[2] = 0; program[2] < programs[2]; program[2]++)                                   \
        for (program[1] = 0; program[1] < programs[1]; program[1]++)                               \
            for (program[0] = 0; program[0] < programs[0]; program[0]++)                           \
                for (element = 0; element < (tile); element++)

/* ---- elements -------------------------------------------------------------------------------- */

#define cast(type, x) ((type)(x))
#define where(condition, x, y) ((condition) ? (x) : (y))
#define load(pointer, mask, other) ((mask) ? *(pointer) : (__typeof__(*(pointer)))(other))
#define store(pointer, value, mask)                                                                \
    do {                                                                                           \
        __typeof__(value) stored = (value);                                                        \
        if (mask)                                                                                  \
            *(pointer) = stored;                                                                   \
    } while (0)

/* The products that fuse where the language says so. */
#define fused(x, y, z) _Generic((x) * (y) + (z), double: fma((x), (y), (z)), default: fmaf((x), (y), (z)))

#endif
