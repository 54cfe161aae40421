/* The op table as data; see ops.def. */
#include "ir/ir.h"

/* The flags' short names in the table. */
enum {
    PURE = IR_PURE,
    ELEMENTWISE = IR_ELEMENTWISE,
    COMMUTES = IR_COMMUTES,
    APPROX = IR_APPROX,
    READS = IR_READS,
    WRITES = IR_WRITES,
    REGION = IR_REGION,
    TERMINATOR = IR_TERMINATOR,
    INTEGER = IR_INTEGER,
    FLOAT = IR_FLOAT,
    NUMERIC = IR_NUMERIC,
    LOGIC = IR_LOGIC,
    MOVES = IR_MOVES,
};

const struct ir_op_info ir_ops[GPU_OP_END] = {
#define OP(code, name, least, most, attribute, rule, flags, meaning)                               \
    {name, least, most, IR_ATTRIBUTE_##attribute, IR_RULE_##rule, flags, meaning},
#include "ir/ops.def"
#include "ir/gpu_ops.def"
#undef OP
};

const char *const ir_scope_names[IR_SCOPE_COUNT] = {"threadgroup", "device", "group"};
