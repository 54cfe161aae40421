/* The rules of ops with regions, and of what ends regions and functions. */
#include "ir/verifier.h"

static bool expect_regions(struct verifier *v, const struct ir_op *op, int count)
{
    CHECK(op->region_count == count, "%d regions, expected %d", op->region_count, count);
    return true;
}

/* Arguments from first on have the types of the values. */
static bool expect_arguments(struct verifier *v, const struct ir_op *op,
                             const struct ir_region *region, int first,
                             struct ir_value *const *values, int count)
{
    CHECK(region->argument_count == first + count, "a region with %d arguments, expected %d",
          region->argument_count, first + count);
    for (int i = 0; i < count; i++) {
        if (!ir_verify_type(v, op, "region argument", first + i, region->arguments[first + i]->type,
                            values[i]->type))
            return false;
    }
    return true;
}

/* The region ends with the terminator, whose operands from first on have the values' types. */
static bool expect_end(struct verifier *v, const struct ir_region *region, enum ir_opcode code,
                       int first, struct ir_value *const *values, int count)
{
    const struct ir_op *op = region->last;
    CHECK(op->code == code, "ends a region that '%s' should end", ir_ops[code].name);
    CHECK(op->operand_count == first + count, "%d operands, expected %d", op->operand_count,
          first + count);
    for (int i = 0; i < count; i++) {
        if (!ir_verify_operand(v, op, first + i, values[i]->type))
            return false;
    }
    return true;
}

static bool expect_results_like(struct verifier *v, const struct ir_op *op,
                                struct ir_value *const *values, int count)
{
    if (!ir_verify_result_count(v, op, count))
        return false;
    for (int i = 0; i < count; i++) {
        if (!ir_verify_type(v, op, "result", i, op->results[i]->type, values[i]->type))
            return false;
    }
    return true;
}

bool ir_verify_for(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 1))
        return false;
    for (int i = 0; i < 3; i++) {
        if (!ir_verify_operand(v, op, i, ir_scalar(IR_I64)))
            return false;
    }
    struct ir_value *const *inits = op->operands + 3;
    int count = op->operand_count - 3;
    const struct ir_region *body = op->regions[0];
    return expect_results_like(v, op, inits, count) &&
           expect_arguments(v, op, body, 1, inits, count) &&
           ir_verify_type(v, op, "region argument", 0, body->arguments[0]->type,
                          ir_scalar(IR_I64)) &&
           expect_end(v, body, IR_OP_YIELD, 0, inits, count);
}

bool ir_verify_if(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 2) || !ir_verify_operand(v, op, 0, ir_scalar(IR_BOOL)))
        return false;
    for (int i = 0; i < 2; i++) {
        if (!expect_arguments(v, op, op->regions[i], 0, NULL, 0) ||
            !expect_end(v, op->regions[i], IR_OP_YIELD, 0, op->results, op->result_count))
            return false;
    }
    return true;
}

bool ir_verify_while(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 2))
        return false;
    struct ir_value *const *inits = op->operands;
    int count = op->operand_count;
    return expect_results_like(v, op, inits, count) &&
           expect_arguments(v, op, op->regions[0], 0, inits, count) &&
           expect_arguments(v, op, op->regions[1], 0, inits, count) &&
           expect_end(v, op->regions[0], IR_OP_CONDITION, 1, inits, count) &&
           expect_end(v, op->regions[1], IR_OP_YIELD, 0, inits, count);
}

bool ir_verify_scan(struct verifier *v, const struct ir_op *op)
{
    if (!expect_regions(v, op, 1) || !ir_verify_scan_op(v, op))
        return false;
    struct ir_value scalar = {.type = ir_without_axis(operand_type(op, 0), -1)};
    struct ir_value *pair[] = {&scalar, &scalar};
    for (const struct ir_op *inner = op->regions[0]->first; inner; inner = inner->next) {
        CHECK(ir_has(inner, IR_PURE) || ir_has(inner, IR_TERMINATOR),
              "'%s' inside, which is not pure", ir_ops[inner->code].name);
    }
    return expect_arguments(v, op, op->regions[0], 0, pair, 2) &&
           expect_end(v, op->regions[0], IR_OP_YIELD, 0, pair, 1);
}

/* What ends a region hands its operands on, and has no results itself. */
bool ir_verify_yield(struct verifier *v, const struct ir_op *op)
{
    CHECK(op->parent->parent, "ends a function");
    CHECK(op->code != IR_OP_CONDITION || ir_type_equal(operand_type(op, 0), ir_scalar(IR_BOOL)),
          "operand 0 has type %s, expected bool", ir_verify_type_text(v, operand_type(op, 0)));
    return ir_verify_result_count(v, op, 0);
}

bool ir_verify_return(struct verifier *v, const struct ir_op *op)
{
    const struct ir_func *func = v->func;
    CHECK(!op->parent->parent, "inside a region");
    CHECK(op->operand_count == func->result_count, "%d values, expected %d", op->operand_count,
          func->result_count);
    for (int i = 0; i < func->result_count; i++) {
        if (!ir_verify_operand(v, op, i, func->results[i]))
            return false;
    }
    return ir_verify_result_count(v, op, 0);
}
