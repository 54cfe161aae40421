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
static int at[3];    /* the place of the element whose turn it is, along each axis */
static int elements; /* of the program's tiles, which have one axis */
#define element at[0]

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
            __auto_type one = (x);                                                                 \
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
#define cumprod(x) OVER(x, __typeof__(+(x)), 1, element + 1, all *= one)
#define cummin(x) OVER(x, __typeof__(x), 0, element + 1, all = first ? one : minimum(all, one))
#define cummax(x) OVER(x, __typeof__(x), 0, element + 1, all = first ? one : maximum(all, one))

#define POSITION(x, chosen)                                                                        \
    ({                                                                                             \
        __auto_type best = (chosen);                                                               \
        OVER(x, int, -1, elements, if (all < 0 && SAME(one, best)) all = element);                 \
    })
#define SAME(x, y) ((x) != (x) ? (y) != (y) : (x) == (y) && !is_negative(x) == !is_negative(y))
#define argmax(x) POSITION(x, max(x))
#define argmin(x) POSITION(x, min(x))

/* x somewhere else; `kept` is where this element is. */
#define ELSEWHERE(x, move)                                                                         \
    ({                                                                                             \
        const int kept[] = {at[0], at[1], at[2]};                                                  \
        move;                                                                                      \
        __auto_type got = (x);                                                                     \
        memcpy(at, kept, sizeof kept);                                                             \
        got;                                                                                       \
    })
#define gather(x, index) gather_along(x, index, 0)
#define gather_along(x, index, axis)                                                               \
    ({                                                                                             \
        int other = (index);                                                                       \
        ELSEWHERE(x, at[axis] = other);                                                            \
    })

/* ---- tiles of two axes: random programs name the sizes for C --------------------------------- */

#define expand_dims(x, axis) ELSEWHERE(x, leave_axis(kept, axis))
#define trans(x) ELSEWHERE(x, (at[0] = kept[1], at[1] = kept[0]))
#define flat_along(x, rows, columns)                                                               \
    ELSEWHERE(x, (at[0] = kept[0] / (columns), at[1] = kept[0] % (columns)))
#define fold_along(x, rows, columns) ELSEWHERE(x, at[0] = kept[0] * (columns) + kept[1])
#define split_along(a, b, part) ((part) ? (b) : (a))

static inline void leave_axis(const int *kept, int axis)
{
    for (int i = axis; i < 2; i++)
        at[i] = kept[i + 1];
}

/* To place i of an axis that there was not, or (keeps) where there is one. */
static inline void enter_axis(const int *kept, int axis, int i, bool keeps)
{
    for (int k = 0; k < 3; k++)
        at[k] = k < axis ? kept[k] : k == axis ? i : kept[keeps ? k : k - 1];
}

/* Does `step` with x at each place in front of end, once `enter` is done. */
#define EACH(x, type, start, end, enter, step)                                                     \
    ({                                                                                             \
        const int kept[] = {at[0], at[1], at[2]};                                                  \
        type all = (start);                                                                        \
        for (int place = 0; place < (end); place++) {                                              \
            enter;                                                                                 \
            __auto_type one = (x);                                                                 \
            step;                                                                                  \
        }                                                                                          \
        memcpy(at, kept, sizeof kept);                                                             \
        all;                                                                                       \
    })
#define ALONG(x, type, start, axis, end, keeps, step)                                              \
    EACH(x, type, start, end, enter_axis(kept, axis, place, keeps), step)
#define EVERY(x, type, start, rows, columns, step)                                                 \
    EACH(x, type, start, (rows) * (columns),                                                       \
         (at[0] = place / (columns), at[1] = place % (columns)), step)
#define GREATER all = place ? maximum(all, one) : one
#define LESS all = place ? minimum(all, one) : one
#define COMBINED(f) all = place ? f(all, one) : one
#define POSITION_OF(x, best_of, walk)                                                              \
    ({                                                                                             \
        __auto_type best = (best_of);                                                              \
        walk;                                                                                      \
    })
#define FOUND                                                                                      \
    if (all < 0 && SAME(one, best))                                                                \
    all = place

#define sum_along(x, axis, n) ALONG(x, __typeof__(+(x)), 0, axis, n, false, all += one)
#define prod_along(x, axis, n) ALONG(x, __typeof__(+(x)), 1, axis, n, false, all *= one)
#define max_along(x, axis, n) ALONG(x, __typeof__(x), 0, axis, n, false, GREATER)
#define min_along(x, axis, n) ALONG(x, __typeof__(x), 0, axis, n, false, LESS)
#define any_along(x, axis, n) ALONG(x, bool, false, axis, n, false, all |= (bool)one)
#define all_along(x, axis, n) ALONG(x, bool, true, axis, n, false, all &= (bool)one)
#define argmax_along(x, axis, n)                                                                   \
    POSITION_OF(x, max_along(x, axis, n), ALONG(x, int, -1, axis, n, false, FOUND))
#define argmin_along(x, axis, n)                                                                   \
    POSITION_OF(x, min_along(x, axis, n), ALONG(x, int, -1, axis, n, false, FOUND))
#define reduce_along(f, x, axis, n) ALONG(x, __typeof__(x), 0, axis, n, false, COMBINED(f))
#define scan_along(f, x, axis) ALONG(x, __typeof__(x), 0, axis, kept[axis] + 1, true, COMBINED(f))
#define cumsum_along(x, axis) ALONG(x, __typeof__(+(x)), 0, axis, kept[axis] + 1, true, all += one)
#define exclusive_along(x, axis) ALONG(x, __typeof__(+(x)), 0, axis, kept[axis], true, all += one)
#define cummax_along(x, axis) ALONG(x, __typeof__(x), 0, axis, kept[axis] + 1, true, GREATER)
#define max_kept_along(x, axis, n) ALONG(x, __typeof__(x), 0, axis, n, true, GREATER)
#define sum_all_along(x, rows, columns) EVERY(x, __typeof__(+(x)), 0, rows, columns, all += one)
#define max_all_along(x, rows, columns) EVERY(x, __typeof__(x), 0, rows, columns, GREATER)
#define min_all_along(x, rows, columns) EVERY(x, __typeof__(x), 0, rows, columns, LESS)
#define argmin_all_along(x, rows, columns)                                                         \
    POSITION_OF(x, min_all_along(x, rows, columns), EVERY(x, int, -1, rows, columns, FOUND))
#define any_all_along(x, rows, columns) EVERY(x, bool, false, rows, columns, all |= (bool)one)
#define reduce_all_along(f, x, rows, columns) EVERY(x, __typeof__(x), 0, rows, columns, COMBINED(f))

#define dot_along(a, b, depth)                                                                     \
    ({                                                                                             \
        int total = 0;                                                                             \
        for (int step = 0; step < (depth); step++)                                                 \
            total += ELSEWHERE(a, at[1] = step) * ELSEWHERE(b, at[0] = step);                      \
        total;                                                                                     \
    })

#define strided_along(pointer, m, n, s, t, row, column, rows, columns)                             \
    or_strided(0, pointer, m, n, s, t, row, column)
#define or_along(fill, pointer, m, n, row, column, rows, columns)                                  \
    or_strided(fill, pointer, m, n, (int64_t)(n), 1, row, column)
#define view_along(pointer, m, n, row, column, rows, columns)                                      \
    or_along(0, pointer, m, n, row, column, rows, columns)
#define or_strided(fill, pointer, m, n, s, t, row, column)                                         \
    ({                                                                                             \
        int64_t down = (row) + at[0], right = (column) + at[1];                                    \
        bool inside = down >= 0 && down < (int64_t)(m) && right >= 0 && right < (int64_t)(n);      \
        inside ? (pointer)[down * (s) + right * (t)] : (__typeof__(*(pointer)))(fill);             \
    })

/* ---- elements -------------------------------------------------------------------------------- */

#define cast(type, x) ((type)(x))
#define where(condition, x, y) ((condition) ? (x) : (y))
#define load(pointer, mask, other)                                                                 \
    ({                                                                                             \
        __auto_type place = (pointer);                                                             \
        (mask) ? *place : (__typeof__(*place))(other);                                             \
    })
#define store(pointer, value, mask)                                                                \
    do {                                                                                           \
        __auto_type stored = (value);                                                              \
        if (mask)                                                                                  \
            *(pointer) = stored;                                                                   \
    } while (0)

#define bitcast(type, x)                                                                           \
    ({                                                                                             \
        __auto_type from = (x);                                                                    \
        type to;                                                                                   \
        _Static_assert(sizeof from == sizeof to, "of one size");                                   \
        memcpy(&to, &from, sizeof to);                                                             \
        to;                                                                                        \
    })

/* Of a number's sign bit; an integer below 0 has one. */
#define is_negative(x) __builtin_signbit((double)(x))

#define maximum(x, y)                                                                              \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        __auto_type other_side = (y);                                                              \
        __typeof__(one_side + other_side) left = one_side, right = other_side;                     \
        left != left || right != right ? left + right                                              \
        : left == right                ? (is_negative(left) ? right : left)                        \
        : left > right                 ? left                                                      \
                                       : right;                                                                    \
    })
#define minimum(x, y)                                                                              \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        __auto_type other_side = (y);                                                              \
        __typeof__(one_side + other_side) left = one_side, right = other_side;                     \
        left != left || right != right ? left + right                                              \
        : left == right                ? (is_negative(left) ? left : right)                        \
        : left < right                 ? left                                                      \
                                       : right;                                                                    \
    })
#define clamp(x, low, high) minimum(maximum(x, low), high)
#define abs(x)                                                                                     \
    ({                                                                                             \
        __auto_type operand = +(x);                                                                \
        operand <= 0 ? 0 - operand : operand;                                                      \
    })
#define cdiv(x, y)                                                                                 \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        __auto_type other_side = (y);                                                              \
        __typeof__(one_side + other_side) left = one_side, right = other_side;                     \
        left / right + (left % right != 0 && (left > 0) == (right > 0));                           \
    })

#define BITS_OF(x) (8 * (int)sizeof(x))
#define AS_BITS(x) ((unsigned long)(x) & -1ul >> (64 - BITS_OF(x)))
#define popcount(x)                                                                                \
    ({                                                                                             \
        __auto_type operand = (x);                                                                 \
        (__typeof__(operand))__builtin_popcountl(AS_BITS(operand));                                \
    })
#define clz(x)                                                                                     \
    ({                                                                                             \
        __auto_type operand = (x);                                                                 \
        int bits = BITS_OF(operand);                                                               \
        (__typeof__(operand))(AS_BITS(operand) ? __builtin_clzl(AS_BITS(operand)) - 64 + bits      \
                                               : bits);                                            \
    })

#define ctz(x)                                                                                     \
    ({                                                                                             \
        __auto_type operand = (x);                                                                 \
        (__typeof__(operand))(AS_BITS(operand) ? __builtin_ctzl(AS_BITS(operand))                  \
                                               : BITS_OF(operand));                                \
    })
/* Two of one small type keep it. */
#define IS(x, type) __builtin_types_compatible_p(__typeof__(x), type)
/* char is the type int8_t to us, and another than signed char to C. */
#define IS_BYTE(x) (IS(x, char) || IS(x, signed char))
#define IS_LIKE(x, y) (IS(x, __typeof__(y)) || (IS_BYTE(x) && IS_BYTE(y)))
#define mulhi(x, y)                                                                                \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        __auto_type other_side = (y);                                                              \
        __typeof__(__builtin_choose_expr(IS_LIKE(one_side, other_side) && !IS(one_side, bool),     \
                                         one_side, one_side + other_side)) left = one_side,        \
                                                                           right = other_side;     \
        (__typeof__(left))((unsigned __int128)left * (unsigned __int128)right >> BITS_OF(left));   \
    })

/* A function of double that is exact for all narrower types when it is rounded to them. */
#define ROUNDED(f, x)                                                                              \
    ({                                                                                             \
        __auto_type operand = (x);                                                                 \
        (__typeof__(operand))(f)((double)operand);                                                 \
    })
#define sqrt(x) ROUNDED(sqrt, x)
#define floor(x) ROUNDED(floor, x)
#define ceil(x) ROUNDED(ceil, x)
#define round(x) ROUNDED(round, x)
#define rint(x) ROUNDED(rint, x)
#define trunc(x) ROUNDED(trunc, x)
#define logb(x) ROUNDED(logb, x)
/* Of the common type of both. */
#define ROUNDED_PAIR(f, x, y)                                                                      \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        __auto_type other_side = (y);                                                              \
        (__typeof__(one_side + other_side))(f)((double)one_side, (double)other_side);              \
    })
#define fmod(x, y) ROUNDED_PAIR(fmod, x, y)
#define remainder(x, y) ROUNDED_PAIR(remainder, x, y)
#define fdim(x, y) ROUNDED_PAIR(fdim, x, y)
#define copysign(x, y) ROUNDED_PAIR(copysign, x, y)
#define nextafter(x, y)                                                                            \
    ({                                                                                             \
        __auto_type one_side = (x);                                                                \
        _Generic(one_side, double: (nextafter), default: nextafterf)(one_side, (y));               \
    })
#define ldexp(x, n)                                                                                \
    ({                                                                                             \
        __auto_type operand = (x);                                                                 \
        (__typeof__(operand))(ldexp)((double)operand, (n));                                        \
    })
#undef isfinite
#undef isnan
#undef isinf
#undef signbit
#define isnan(x) ((bool)__builtin_isnan((double)(x)))
#define isinf(x) ((bool)__builtin_isinf((double)(x)))
#define isfinite(x) ((bool)__builtin_isfinite((double)(x)))
#define signbit(x) ((bool)is_negative(x))

/* The products that fuse where the language says so. */
#define fused(x, y, z)                                                                             \
    ({                                                                                             \
        __auto_type left = (x);                                                                    \
        __auto_type right = (y);                                                                   \
        __auto_type added = (z);                                                                   \
        _Generic(left * right + added, double: __builtin_fma, default: __builtin_fmaf)(            \
            left, right, added);                                                                   \
    })
#define fma(x, y, z) fused(x, y, z)

#endif
