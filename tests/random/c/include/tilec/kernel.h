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
#include <string.h>

typedef _Float16 half;

#ifdef HAS_BFLOAT
typedef __bf16 bfloat;

/* What compilers call and not all libraries have: to the nearest even, rounded once. */
bfloat __truncdfbf2(double wide)
{
    float x = (float)wide;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bool is_rounded = (double)x != wide && !isnan(x) && !isinf(x);
    if (is_rounded) /* to the odd one of both instead */
        bits = (fabs((double)x) > fabs(wide) ? bits - 1 : bits) | 1;
    bits = isnan(x) ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
    uint16_t high = (uint16_t)(bits >> 16);
    bfloat result;
    memcpy(&result, &high, sizeof result);
    return result;
}

bfloat __truncsfbf2(float x)
{
    return __truncdfbf2((double)x);
}
#endif

#define kernel
#define constexpr const
#define auto __auto_type
#define launch_grid(KERNEL, ...) _Static_assert(1, "")
#define static_require(condition, text) _Static_assert(condition, text)

/* ---- programs and tiles ---------------------------------------------------------------------- */

static int64_t program[3], programs[3];
static int element, elements; /* whose turn it is, and of how many */

#define program_id(axis) ((int)program[axis])
#define num_programs(axis) ((int)programs[axis])
#define arange(begin, end) ((begin) + element)
#define full(type, value, ...) ((type)(value))
#define broadcast_to(x, ...) (x)

#define FOR_ALL_PROGRAMS(grid, tile)                                                               \
    elements = (tile);                                                                             \
    for (int axis = 0; axis < 3; axis++)                                                           \
        programs[axis] = (grid)[axis];                                                             \
    for (program[2] = 0; program[2] < programs[2]; program[2]++)                                   \
        for (program[1] = 0; program[1] < programs[1]; program[1]++)                               \
            for (program[0] = 0; program[0] < programs[0]; program[0]++)                           \
                for (element = 0; element < (tile); element++)

/* ---- over the elements of a tile: x is computed for each of them ----------------------------- */

#define exclusive 1
#define IS_EXCLUSIVE(...) (0 __VA_OPT__(+__VA_ARGS__))

/* Goes over those in front of end and does `step` with each x. */
#define OVER(x, type, start, end, step)                                                            \
    ({                                                                                             \
        int mine = element, last = (end);                                                          \
        type all = (start);                                                                        \
        for (element = 0; element < last; element++) {                                             \
            __typeof__(x) one = (x);                                                               \
            bool first = element == 0;                                                             \
            (void)first;                                                                           \
            step;                                                                                  \
        }                                                                                          \
        element = mine;                                                                            \
        all;                                                                                       \
    })

#define sum(x, ...) OVER(x, __typeof__(+(x)), 0, elements, all += one)
#define prod(x, ...) OVER(x, __typeof__(+(x)), 1, elements, all *= one)
#define max(x) OVER(x, __typeof__(x), 0, elements, all = first ? one : maximum(all, one))
#define min(x) OVER(x, __typeof__(x), 0, elements, all = first ? one : minimum(all, one))
#define any(x) OVER(x, bool, false, elements, all |= (bool)one)
#define all(x) OVER(x, bool, true, elements, all &= (bool)one)
#define reduce(f, x) OVER(x, __typeof__(x), 0, elements, all = first ? one : f(all, one))
#define scan(f, x) OVER(x, __typeof__(x), 0, element + 1, all = first ? one : f(all, one))
#define cumsum(x, ...)                                                                             \
    OVER(x, __typeof__(+(x)), 0, element + !IS_EXCLUSIVE(__VA_ARGS__), all += one)
#define cummax(x) OVER(x, __typeof__(x), 0, element + 1, all = first ? one : maximum(all, one))

#define POSITION(x, chosen)                                                                        \
    ({                                                                                             \
        __typeof__(x) best = (chosen);                                                             \
        OVER(x, int, -1, elements, if (all < 0 && SAME(one, best)) all = element);                 \
    })
#define SAME(x, y) ((x) != (x) ? (y) != (y) : (x) == (y) && !is_negative(x) == !is_negative(y))
#define argmax(x) POSITION(x, max(x))
#define argmin(x) POSITION(x, min(x))

#define gather(x, index)                                                                           \
    ({                                                                                             \
        int mine = element, other = (index);                                                       \
        element = other;                                                                           \
        __typeof__(x) got = (x);                                                                   \
        element = mine;                                                                            \
        got;                                                                                       \
    })

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

#define bitcast(type, x)                                                                           \
    ({                                                                                             \
        __typeof__(x) from = (x);                                                                  \
        type to;                                                                                   \
        _Static_assert(sizeof from == sizeof to, "of one size");                                   \
        memcpy(&to, &from, sizeof to);                                                             \
        to;                                                                                        \
    })

/* Of a number's sign bit; an integer below 0 has one. */
#define is_negative(x) __builtin_signbit((double)(x))

#define maximum(x, y)                                                                              \
    ({                                                                                             \
        __typeof__((x) + (y)) left = (x), right = (y);                                             \
        left != left || right != right ? left + right                                              \
        : left == right                ? (is_negative(left) ? right : left)                        \
        : left > right                 ? left                                                      \
                                       : right;                                                                    \
    })
#define minimum(x, y)                                                                              \
    ({                                                                                             \
        __typeof__((x) + (y)) left = (x), right = (y);                                             \
        left != left || right != right ? left + right                                              \
        : left == right                ? (is_negative(left) ? left : right)                        \
        : left < right                 ? left                                                      \
                                       : right;                                                                    \
    })
#define abs(x)                                                                                     \
    ({                                                                                             \
        __typeof__(+(x)) operand = (x);                                                            \
        operand <= 0 ? 0 - operand : operand;                                                      \
    })
#define cdiv(x, y)                                                                                 \
    ({                                                                                             \
        __typeof__((x) + (y)) left = (x), right = (y);                                             \
        left / right + (left % right != 0 && (left > 0) == (right > 0));                           \
    })

#define BITS_OF(x) (8 * (int)sizeof(x))
#define AS_BITS(x) ((unsigned long)(x) & -1ul >> (64 - BITS_OF(x)))
#define popcount(x) ((__typeof__(x))__builtin_popcountl(AS_BITS(x)))
#define clz(x)                                                                                     \
    ({                                                                                             \
        unsigned long operand = AS_BITS(x);                                                        \
        (__typeof__(x))(operand ? __builtin_clzl(operand) - 64 + BITS_OF(x) : BITS_OF(x));         \
    })

/* A function of double that is exact for all narrower types when it is rounded to them. */
#define ROUNDED(f, x) ((__typeof__(x))(f)((double)(x)))
#define sqrt(x) ROUNDED(sqrt, x)
#define floor(x) ROUNDED(floor, x)
#define ceil(x) ROUNDED(ceil, x)
#define round(x) ROUNDED(round, x)
#define rint(x) ROUNDED(rint, x)
#define trunc(x) ROUNDED(trunc, x)
#undef isnan
#undef isinf
#undef signbit
#define isnan(x) ((bool)__builtin_isnan((double)(x)))
#define isinf(x) ((bool)__builtin_isinf((double)(x)))
#define signbit(x) ((bool)is_negative(x))

/* The products that fuse where the language says so. */
#define fused(x, y, z)                                                                             \
    _Generic((x) * (y) + (z),                                                                      \
        double: __builtin_fma((x), (y), (z)),                                                      \
        default: __builtin_fmaf((x), (y), (z)))
#define fma(x, y, z) fused(x, y, z)

#endif
