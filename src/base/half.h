#ifndef TILEC_BASE_HALF_H
#define TILEC_BASE_HALF_H
/*
 * Conversions of the two 16-bit floating-point formats, on their bits.
 *
 * half is IEEE binary16 (5 bits of exponent, 10 of fraction); bfloat is the upper half of a float.
 * Narrowing rounds once, to nearest, ties to even; overflow gives infinity, subnormals are kept, a
 * NaN stays a (quiet) NaN with its sign and the upper part of its payload. Widening is exact.
 * Integers convert in one rounding too, which is why they have functions of their own: going
 * through double would round twice.
 */
#include <stdint.h>

float half_to_float(uint16_t bits);
uint16_t half_from_double(double value);
uint16_t half_from_int64(int64_t value);
uint16_t half_from_uint64(uint64_t value);

float bfloat_to_float(uint16_t bits);
uint16_t bfloat_from_double(double value);
uint16_t bfloat_from_int64(int64_t value);
uint16_t bfloat_from_uint64(uint64_t value);

#endif
