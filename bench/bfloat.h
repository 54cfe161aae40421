#ifndef TILEC_BENCH_BFLOAT_H
#define TILEC_BENCH_BFLOAT_H
/* bfloat as its bits, so that both compilers vectorise it with integer instructions. NaNs are not
 * kept apart from infinities. */
#include <stdint.h>
#include <string.h>

static inline float widen_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static inline uint16_t narrow_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

#endif
