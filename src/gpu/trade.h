#ifndef TILEC_GPU_TRADE_H
#define TILEC_GPU_TRADE_H
/* Conversions within a SIMD group in which lane bits trade places with register bits; see trade.c. */
#include "gpu/lower.h"

struct gpu_trades {
    int with[GPU_LANE_BITS];        /* the operand's register bit that each lane bit trades with; -1: none */
    int source[LAYOUT_MAX_BITS];    /* of each register bit of the result: the operand's, after the trades */
};

/* False where the conversion is something else. */
bool gpu_find_trades(const struct layout *from, const struct layout *to,
                     const struct layout_conversion *plan, struct gpu_trades *trades);

/* The result's registers, from the operand's. */
void gpu_trade(struct lowering *l, const struct gpu_trades *trades, int register_bits,
               struct ir_value *const *registers, struct ir_value **result);

#endif
