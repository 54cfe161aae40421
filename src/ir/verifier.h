#ifndef TILEC_IR_VERIFIER_H
#define TILEC_IR_VERIFIER_H
/* What the parts of the verifier share: verify.c (structure, visibility, functions), verify_ops.c,
 * verify_control.c. */
#include "ir/ir.h"

struct verifier {
    struct diagnostics *diagnostics;
    const struct ir_func *func;
    enum ir_level level;
    struct {
        struct ir_value **items;
        size_t count, capacity;
    } values;                     /* by id */
    bool *visible;                /* by id, while the walk is where the value may be used */
    const struct ir_table *table; /* the last one that was found proper */
    int op_count;
    bool fine;
};

/* Adds an error, about the function where op is NULL; returns false. */
bool ir_verify_broken(struct verifier *v, const struct ir_op *op, const char *message);

#define BROKEN(v, op, ...)                                                                         \
    ir_verify_broken((v), (op), arena_format((v)->diagnostics->arena, __VA_ARGS__))
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return BROKEN(v, op, __VA_ARGS__);                                                     \
    } while (0)

const char *ir_verify_type_text(struct verifier *v, struct ir_type type);

/* ---- verify_ops.c -------------------------------------------------------------------------- */

static inline struct ir_type operand_type(const struct ir_op *op, int i)
{
    return op->operands[i]->type;
}

/* Each says what is wrong with an op, and is false then. */
bool ir_verify_type(struct verifier *v, const struct ir_op *op, const char *what, int i,
                    struct ir_type actual, struct ir_type wanted);
bool ir_verify_operand(struct verifier *v, const struct ir_op *op, int i, struct ir_type wanted);
bool ir_verify_result_count(struct verifier *v, const struct ir_op *op, int count);

bool ir_verify_fits_element(uint64_t bits, int elem); /* as a constant's */
/* Counts and types of an op whose operands are visible. */
bool ir_verify_op(struct verifier *v, const struct ir_op *op);
/* What running sums, running maxima and scan have in common. */
bool ir_verify_scan_op(struct verifier *v, const struct ir_op *op);

/* ---- verify_control.c ---------------------------------------------------------------------- */

bool ir_verify_for(struct verifier *v, const struct ir_op *op);
bool ir_verify_if(struct verifier *v, const struct ir_op *op);
bool ir_verify_while(struct verifier *v, const struct ir_op *op);
bool ir_verify_scan(struct verifier *v, const struct ir_op *op);
bool ir_verify_yield(struct verifier *v, const struct ir_op *op); /* and condition */
bool ir_verify_return(struct verifier *v, const struct ir_op *op);

#endif
