#ifndef TILEC_IR_EXCHANGE_H
#define TILEC_IR_EXCHANGE_H
/* Gathers at i ^ distance; see exchange.c. */
#include "ir/ir.h"

/* Whether all of the gather's indices along its axis are i ^ distance, with one distance from 1 on
 * for the whole tile; none is outside. */
bool ir_exchange_of(const struct ir_op *gather, int64_t *distance);

#endif
