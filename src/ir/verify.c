/*
 * The verifier of Tile IR.
 *
 * Three steps, each of which relies on the one before:
 *   structure   pointers, links and counts hang together; gives every value a number
 *   visibility  an operand is defined before its use, in the same region or in one around it
 *   ops         counts and types, from the op table where its rule says all, else by hand
 *
 * An op's errors stop at its first one, so that none is a follow-up of another; the same holds for
 * a whole function whose structure is broken.
 */
#include "ir/verifier.h"

#include <string.h>

bool ir_verify_broken(struct verifier *v, const struct ir_op *op, const char *message)
{
    v->fine = false;
    if (op)
        diagnostics_add(v->diagnostics, DIAGNOSTIC_ERROR, op->range, "'%s': %s",
                        ir_ops[op->code].name, message);
    else
        diagnostics_add(v->diagnostics, DIAGNOSTIC_ERROR, v->func->range, "function '%s': %s",
                        v->func->name ? v->func->name : "", message);
    return false;
}

const char *ir_verify_type_text(struct verifier *v, struct ir_type type)
{
    struct text text;
    text_init(&text, v->diagnostics->arena);
    ir_type_print(type, &text);
    return text.items;
}

/* ---- structure ------------------------------------------------------------------------------- */

static bool is_type(struct ir_type type, enum ir_level level)
{
    int64_t elements = 1;
    if (type.space > (level == IR_LEVEL_GPU && type.pointer ? IR_SPACE_THREADGROUP : 0))
        return false;
    if (type.elem >= IR_ELEM_COUNT || type.rank > IR_MAX_RANK)
        return false;
    for (int i = 0; i < IR_MAX_RANK; i++) {
        if (i >= type.rank ? type.dims[i] != 0 : type.dims[i] < 1)
            return false;
        if (i < type.rank)
            elements *= type.dims[i]; /* at most 2^20 * 2^31 */
        if (elements > IR_MAX_ELEMENTS)
            return false;
    }
    return true;
}

static bool add_value(struct verifier *v, const struct ir_op *op, struct ir_value *value)
{
    CHECK(value && is_type(value->type, v->level), "a value without a proper type");
    value->id = (int)v->values.count;
    ARENA_PUSH(v->diagnostics->arena, &v->values, value);
    return true;
}

static bool check_counts(struct verifier *v, const struct ir_op *op)
{
    const struct ir_op_info *info = &ir_ops[op->code];
    int most = info->most < 0 ? IR_MAX_OPERANDS : info->most;
    CHECK(op->operand_count >= info->least && op->operand_count <= most,
          info->least == most ? "%d operands, expected %d" : "%d operands, expected %d to %d",
          op->operand_count, info->least, most);
    CHECK(op->result_count >= 0 && op->result_count <= IR_MAX_OPERANDS, "%d results",
          op->result_count);
    CHECK(op->region_count >= 0 && op->region_count <= 2, "%d regions", op->region_count);
    CHECK((op->operand_count == 0 || op->operands) && (op->result_count == 0 || op->results) &&
              (op->region_count == 0 || op->regions),
          "a list is missing");
    return true;
}

static bool collect_region(struct verifier *v, const struct ir_op *op,
                           const struct ir_region *region, int depth);

static bool collect_op(struct verifier *v, const struct ir_region *region,
                       const struct ir_op *previous, const struct ir_op *op, int depth)
{
    if (++v->op_count > IR_MAX_OPS)
        return BROKEN(v, NULL, "more than %d ops", (int)IR_MAX_OPS);
    int codes = v->level == IR_LEVEL_GPU ? (int)GPU_OP_END : (int)IR_OP_COUNT;
    if ((unsigned)op->code >= (unsigned)codes)
        return BROKEN(v, NULL, "an op with an unknown code %d", (int)op->code);
    CHECK(op->parent == region && op->previous == previous &&
              (op->next ? op->next->previous == op : region->last == op),
          "links of the op list are broken");
    if (!check_counts(v, op))
        return false;
    for (int i = 0; i < op->result_count; i++) {
        if (!add_value(v, op, op->results[i]))
            return false;
        CHECK(op->results[i]->op == op && op->results[i]->index == i,
              "result %d does not know its op", i);
    }
    for (int i = 0; i < op->operand_count; i++)
        CHECK(op->operands[i], "operand %d is missing", i);
    for (int i = 0; i < op->region_count; i++) {
        CHECK(op->regions[i] && op->regions[i]->parent == op, "region %d does not know its op", i);
        if (!collect_region(v, op, op->regions[i], depth + 1))
            return false;
    }
    return true;
}

/* op: the one that holds the region, or NULL */
static bool collect_region(struct verifier *v, const struct ir_op *op,
                           const struct ir_region *region, int depth)
{
    CHECK(depth <= IR_MAX_DEPTH, "regions nest more than %d deep", (int)IR_MAX_DEPTH);
    CHECK(region->argument_count >= 0 && region->argument_count <= IR_MAX_OPERANDS + 1 &&
              (region->argument_count == 0 || region->arguments),
          "a region with %d arguments", region->argument_count);
    for (int i = 0; i < region->argument_count; i++) {
        struct ir_value *argument = region->arguments[i];
        if (!add_value(v, op, argument))
            return false;
        CHECK(!argument->op && argument->region == region && argument->index == i,
              "argument %d does not know its region", i);
    }
    const struct ir_op *previous = NULL;
    for (const struct ir_op *inner = region->first; inner; inner = inner->next) {
        if (!collect_op(v, region, previous, inner, depth))
            return false;
        previous = inner;
    }
    CHECK(previous && previous == region->last && ir_has(previous, IR_TERMINATOR),
          "a region without a terminator");
    return true;
}

/* ---- visibility ------------------------------------------------------------------------------ */

static bool is_visible(const struct verifier *v, const struct ir_value *value)
{
    return value->id >= 0 && (size_t)value->id < v->values.count &&
           v->values.items[value->id] == value && v->visible[value->id];
}

static void set_visible(struct verifier *v, struct ir_value *const *values, int count, bool visible)
{
    for (int i = 0; i < count; i++)
        v->visible[values[i]->id] = visible;
}

static bool check_operands_visible(struct verifier *v, const struct ir_op *op)
{
    for (int i = 0; i < op->operand_count; i++)
        CHECK(is_visible(v, op->operands[i]), "operand %d is not defined where it is used", i);
    return true;
}

static void check_region(struct verifier *v, const struct ir_region *region)
{
    set_visible(v, region->arguments, region->argument_count, true);
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (check_operands_visible(v, op))
            ir_verify_op(v, op);
        for (int i = 0; i < op->region_count; i++)
            check_region(v, op->regions[i]);
        set_visible(v, op->results, op->result_count, true);
    }
    for (const struct ir_op *op = region->first; op; op = op->next)
        set_visible(v, op->results, op->result_count, false);
    set_visible(v, region->arguments, region->argument_count, false);
}

/* ---- functions and kernels ------------------------------------------------------------------- */

static bool is_identifier(const char *name)
{
    for (const char *c = name; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        if (!letter && (c == name || *c < '0' || *c > '9'))
            return false;
    }
    return *name != '\0';
}

static bool check_parameters(struct verifier *v)
{
    const struct ir_func *func = v->func;
    if (func->parameter_count < 0 || func->parameter_count > IR_MAX_OPERANDS ||
        func->body->argument_count != func->parameter_count)
        return BROKEN(v, NULL, "%d arguments for %d parameters", func->body->argument_count,
                      func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *parameter = &func->parameters[i];
        if (!is_type(parameter->type, IR_LEVEL_TILE) || parameter->type.rank > 0 ||
            !ir_type_equal(parameter->type, func->body->arguments[i]->type))
            return BROKEN(v, NULL, "parameter %d is neither a scalar nor a pointer", i);
        if (parameter->is_fixed &&
            (parameter->type.pointer ||
             !ir_verify_fits_element(parameter->fixed, parameter->type.elem)))
            return BROKEN(v, NULL, "parameter %d is fixed at what it cannot be", i);
        if (func->result_count > 0 && parameter->type.pointer)
            return BROKEN(v, NULL, "parameter %d of a host function is a pointer", i);
        if (parameter->name && !is_identifier(parameter->name))
            return BROKEN(v, NULL, "the name of parameter %d is no identifier", i);
        for (int k = 0; k < i; k++) {
            const char *other = func->parameters[k].name;
            if (other && parameter->name && strcmp(other, parameter->name) == 0)
                return BROKEN(v, NULL, "parameters %d and %d are both called '%s'", k, i, other);
        }
    }
    return true;
}

static bool check_results(struct verifier *v)
{
    const struct ir_func *func = v->func;
    if (func->result_count < 0 || func->result_count > IR_MAX_OPERANDS)
        return BROKEN(v, NULL, "%d results", func->result_count);
    for (int i = 0; i < func->result_count; i++) {
        if (!is_type(func->results[i], IR_LEVEL_TILE) || func->results[i].rank > 0 ||
            func->results[i].pointer)
            return BROKEN(v, NULL, "result %d is no scalar", i);
    }
    return true;
}

bool ir_verify_level(const struct ir_func *func, enum ir_level level,
                     struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = func, .level = level, .fine = true};
    if (!func->name || !func->body || func->body->parent)
        return BROKEN(&v, NULL, "no name or no body");
    if (!collect_region(&v, NULL, func->body, 1) || !check_parameters(&v) || !check_results(&v))
        return false;
    v.visible = ARENA_ARRAY(diagnostics->arena, bool, v.values.count);
    check_region(&v, func->body);
    return v.fine;
}

bool ir_verify(const struct ir_func *func, struct diagnostics *diagnostics)
{
    return ir_verify_level(func, IR_LEVEL_TILE, diagnostics);
}

/* A host function's parameters are the kernel's scalar parameters, in order. */
static bool check_host_function(const struct ir_func *kernel, const struct ir_func *host,
                                struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = host};
    if (!ir_verify(host, diagnostics))
        return false;
    int k = 0;
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].type.pointer)
            continue;
        if (k >= host->parameter_count ||
            !ir_type_equal(kernel->parameters[i].type, host->parameters[k].type))
            return BROKEN(&v, NULL, "parameters differ from the scalars of '%s'", kernel->name);
        k++;
    }
    return k == host->parameter_count ||
           BROKEN(&v, NULL, "parameters differ from the scalars of '%s'", kernel->name);
}

static bool check_grid(const struct ir_func *kernel, const struct ir_func *grid,
                       struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = grid};
    if (!check_host_function(kernel, grid, diagnostics))
        return false;
    bool fine = grid->result_count >= 1 && grid->result_count <= 3;
    for (int i = 0; i < grid->result_count; i++)
        fine = fine && grid->results[i].elem == IR_I64;
    return fine || BROKEN(&v, NULL, "a grid has 1 to 3 results of type i64");
}

static bool check_condition(const struct ir_func *kernel, const struct ir_func *condition,
                            struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = condition};
    if (!check_host_function(kernel, condition, diagnostics))
        return false;
    return (condition->result_count == 1 && condition->results[0].elem == IR_BOOL) ||
           BROKEN(&v, NULL, "a launch requirement has one result of type bool");
}

bool ir_kernel_verify(const struct ir_kernel *kernel, struct diagnostics *diagnostics)
{
    struct verifier v = {.diagnostics = diagnostics, .func = kernel->func};
    if (!ir_verify(kernel->func, diagnostics))
        return false;
    if (kernel->func->result_count != 0)
        return BROKEN(&v, NULL, "a kernel has no results");
    if (kernel->grid && !check_grid(kernel->func, kernel->grid, diagnostics))
        return false;
    for (int i = 0; i < kernel->require_count; i++) {
        if (!kernel->launch_requires[i].text ||
            !check_condition(kernel->func, kernel->launch_requires[i].condition, diagnostics))
            return false;
    }
    return true;
}
