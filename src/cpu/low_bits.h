#ifndef TILEC_CPU_LOW_BITS_H
#define TILEC_CPU_LOW_BITS_H
#include "ir/ir.h"

/* Makes ints, in place, of tiles of 64-bit integers whose lower half alone is wanted; see
 * low_bits.c.
 */
void cpu_cut_to_low_bits(struct ir_func *func);

#endif
