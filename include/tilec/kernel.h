#ifndef TILEC_KERNEL_H
#define TILEC_KERNEL_H
/*
 * tilec/kernel.h: what lets an editor read a kernel file.
 *
 * A kernel file is C in its syntax, but tilec compiles it with a front end of its own, which skips
 * this header. It exists so that clangd, clang-format and `clang-19 -std=c23 -fsyntax-only` understand
 * the same file: the language's words and built-ins become macros over plain C. In this reading a
 * tile is one element, so names, argument counts, const and element types are checked, shapes are
 * not. What it accepts may still be wrong; tilec's own errors are the ones that count. Nothing here
 * computes: never run it.
 *
 * docs/language.md describes every built-in.
 */
#if !defined(__clang__) || __STDC_VERSION__ < 202311L
#error "read kernel files with clang -std=c23 (clang 19 or later); compile them with tilec"
#endif

#include <stdint.h>

/* A parameter that only launch_grid or launch_require uses looks unused to C. */
#pragma clang diagnostic ignored "-Wunused-parameter"

/* ---- Words of the language ----------------------------------------------------------------- */

typedef _Float16 half;
typedef __bf16 bfloat;
typedef struct tilec_layout {
    int order;
} layout_t;

#define kernel           /* a function that can be launched */
#define constexpr const  /* C23 has no constexpr parameters */
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

enum tilec_words { keep, exclusive, reverse };

/* Lines at file scope about a kernel. Their expressions name parameters that C cannot see here. */
#define launch_grid(KERNEL, ...) static_assert(1)
#define launch_require(KERNEL, ...) static_assert(1)
#define tune(KERNEL, ...) static_assert(1)
#define require(KERNEL, ...) static_assert(1)
#define static_require(condition, ...) static_assert(1, "" __VA_ARGS__)

/* ---- Helpers of this header ---------------------------------------------------------------- */

/* 0, after letting the compiler look at the arguments without evaluating them. */
int tilec_arguments(...);
#define TILEC_SEEN(...) (0 * (int)sizeof(tilec_arguments(__VA_ARGS__)))
/* The operand as a value, which no warning about unused results or self-assignment minds. */
#define TILEC_VALUE(x, ...) ((x) + TILEC_SEEN(__VA_ARGS__))
#define TILEC_FIRST(first, ...) first
#define TILEC_BOTH(x, y) ((x) + (y))
#define TILEC_OLD(pointer, ...)                                                                    \
    ({                                                                                             \
        *(pointer) = (typeof(*(pointer)))(TILEC_FIRST(__VA_ARGS__, 0)) + TILEC_SEEN(__VA_ARGS__);  \
        *(pointer);                                                                                \
    })

/* ---- Program ------------------------------------------------------------------------------- */

#define program_id(axis_number) TILEC_SEEN(axis_number)
#define num_programs(axis_number) TILEC_SEEN(axis_number)
#define cdiv(a, b) (((a) + (b) - 1) / (b))
#define next_pow2(n) TILEC_VALUE(n)
#define tile_assert(condition, text) ((void)TILEC_SEEN(condition, text))
#define tile_print(...) ((void)TILEC_SEEN(__VA_ARGS__))

/* ---- Tiles and shapes ---------------------------------------------------------------------- */

#define arange(begin, end) TILEC_SEEN(begin, end)
#define zeros(type, ...) ((type)TILEC_SEEN(__VA_ARGS__))
#define full(type, value, ...) ((type)TILEC_VALUE(value, __VA_ARGS__))
#define expand_dims(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define broadcast_to(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define reshape(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define trans(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define join(x, y) TILEC_BOTH(x, y)
#define split(x, part) TILEC_VALUE(x, part)
#define axis(number) TILEC_SEEN(number)

/* ---- Memory -------------------------------------------------------------------------------- */

#define load(pointer, ...) (*((pointer) + TILEC_SEEN(__VA_ARGS__)))
#define store(pointer, ...)                                                                        \
    ((void)(*((pointer) + TILEC_SEEN(__VA_ARGS__)) = TILEC_FIRST(__VA_ARGS__, 0)))
#define atomic_add(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_max(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_min(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_and(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_or(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_xor(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_xchg(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)
#define atomic_cas(pointer, ...) TILEC_OLD(pointer, __VA_ARGS__)

/* A view is its base pointer here, and any pointer where a helper takes a view. */
typedef const void *view_t;
extern double tilec_elements[];
#define TILEC_BASE(v) _Generic((v), view_t: tilec_elements, default: (v))
#define view(pointer, ...) ((pointer) + TILEC_SEEN(__VA_ARGS__))
#define view_strided(pointer, ...) ((pointer) + TILEC_SEEN(__VA_ARGS__))
#define tile_load(v, ...) (*(TILEC_BASE(v) + TILEC_SEEN(__VA_ARGS__)))
#define tile_load_or(fill, v, ...) (*(TILEC_BASE(v) + TILEC_SEEN(fill, __VA_ARGS__)))
#define tile_store(v, ...)                                                                         \
    ((void)(*TILEC_BASE(v) = (typeof(*TILEC_BASE(v)))TILEC_SEEN(__VA_ARGS__)))

/* ---- Reductions, scans and other collective operations ---------------------------------------- */

#define sum(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define prod(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define max(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define min(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define argmax(x, ...) TILEC_SEEN(x __VA_OPT__(, ) __VA_ARGS__)
#define argmin(x, ...) TILEC_SEEN(x __VA_OPT__(, ) __VA_ARGS__)
#define any(x, ...) ((bool)TILEC_VALUE(x, __VA_ARGS__))
#define all(x, ...) ((bool)TILEC_VALUE(x, __VA_ARGS__))
#define cumsum(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define cumprod(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define cummin(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define cummax(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define scan(helper, x, ...) (helper((x), (x)) + TILEC_SEEN(__VA_ARGS__))
#define reduce(helper, x, ...) (helper((x), (x)) + TILEC_SEEN(__VA_ARGS__))
#define sort(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define argsort(x, ...) TILEC_SEEN(x __VA_OPT__(, ) __VA_ARGS__)
#define flip(x, ...) TILEC_VALUE(x, __VA_ARGS__)
#define gather(x, index, ...) TILEC_VALUE(x, index __VA_OPT__(, ) __VA_ARGS__)
#define dot(a, b, ...) ((a) * (b) + TILEC_FIRST(__VA_ARGS__ __VA_OPT__(, ) 0))

/* ---- Elementwise ----------------------------------------------------------------------------- */

#define exp(x) TILEC_VALUE(x)
#define exp2(x) TILEC_VALUE(x)
#define exp10(x) TILEC_VALUE(x)
#define log(x) TILEC_VALUE(x)
#define log2(x) TILEC_VALUE(x)
#define log10(x) TILEC_VALUE(x)
#define expm1(x) TILEC_VALUE(x)
#define log1p(x) TILEC_VALUE(x)
#define sqrt(x) TILEC_VALUE(x)
#define rsqrt(x) TILEC_VALUE(x)
#define cbrt(x) TILEC_VALUE(x)
#define sin(x) TILEC_VALUE(x)
#define cos(x) TILEC_VALUE(x)
#define tan(x) TILEC_VALUE(x)
#define sinpi(x) TILEC_VALUE(x)
#define cospi(x) TILEC_VALUE(x)
#define asin(x) TILEC_VALUE(x)
#define acos(x) TILEC_VALUE(x)
#define atan(x) TILEC_VALUE(x)
#define sinh(x) TILEC_VALUE(x)
#define cosh(x) TILEC_VALUE(x)
#define tanh(x) TILEC_VALUE(x)
#define asinh(x) TILEC_VALUE(x)
#define acosh(x) TILEC_VALUE(x)
#define atanh(x) TILEC_VALUE(x)
#define erf(x) TILEC_VALUE(x)
#define erfc(x) TILEC_VALUE(x)
#define sigmoid(x) TILEC_VALUE(x)
#define abs(x) TILEC_VALUE(x)
#define popcount(x) TILEC_VALUE(x)
#define clz(x) TILEC_VALUE(x)
#define ctz(x) TILEC_VALUE(x)
#define mulhi(x, y) TILEC_BOTH(x, y)
#define floor(x) TILEC_VALUE(x)
#define ceil(x) TILEC_VALUE(x)
#define round(x) TILEC_VALUE(x)
#define rint(x) TILEC_VALUE(x)
#define trunc(x) TILEC_VALUE(x)
#define hypot(x, y) TILEC_BOTH(x, y)
#define fmod(x, y) TILEC_BOTH(x, y)
#define remainder(x, y) TILEC_BOTH(x, y)
#define fdim(x, y) TILEC_BOTH(x, y)
#define copysign(x, y) TILEC_BOTH(x, y)
#define nextafter(x, y) TILEC_BOTH(x, y)
#define ldexp(x, n) TILEC_VALUE(x, n)
#define logb(x) TILEC_VALUE(x)
#define pow(x, y) TILEC_BOTH(x, y)
#define atan2(y, x) TILEC_BOTH(y, x)
#define fma(x, y, z) ((x) * (y) + (z))
#define maximum(x, y) TILEC_BOTH(x, y)
#define minimum(x, y) TILEC_BOTH(x, y)
#define clamp(x, low, high) ((x) + (low) + (high))
#define fmax(x, y) TILEC_BOTH(x, y)
#define fmin(x, y) TILEC_BOTH(x, y)
#define isnan(x) ((bool)__builtin_isnan(x))
#define isinf(x) ((bool)__builtin_isinf(x))
#define isfinite(x) ((bool)__builtin_isfinite(x))
#define signbit(x) ((bool)__builtin_signbit(x))
#define where(condition, x, y) ((condition) ? (x) : (y))
#define cast(type, x) ((type)(x))
#define bitcast(type, x) ((type)(x))

/* ---- Layouts --------------------------------------------------------------------------------- */

#define layout(...) ((layout_t){0})
#define arange_in(L, begin, end) TILEC_SEEN(L, begin, end)
#define convert_layout(x, L) TILEC_VALUE(x, L)

#endif
