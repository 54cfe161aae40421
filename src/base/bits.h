#ifndef TILEC_BASE_BITS_H
#define TILEC_BASE_BITS_H
/* Powers of two, and common divisors. */
#include <stdbool.h>
#include <stdint.h>

static inline bool bits_is_power(int64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* How many bits n, which is not negative, has up to its highest one: 0 for 0. Of a power of two the
 * logarithm is that of n - 1; of any n > 0, rounded down, that of n less 1. */
static inline int bits_width(int64_t n)
{
    return n ? 64 - __builtin_clzll((unsigned long long)n) : 0;
}

/* The least power of two that is not below n; at least 1. */
static inline int64_t bits_power_from(int64_t n)
{
    return n > 1 ? INT64_C(1) << bits_width(n - 1) : 1;
}

/* The greatest power of two that is not above n; at least 1. */
static inline int64_t bits_power_to(int64_t n)
{
    return n > 1 ? INT64_C(1) << (bits_width(n) - 1) : 1;
}

/* The greatest number that divides both; 0: both are 0. */
static inline int64_t bits_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

#endif
