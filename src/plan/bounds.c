/*
 * How large the buffers of a launch must be.
 *
 * A kernel addresses memory through pointers without lengths. But most addresses are sums of
 * products of program ids, aranges, loop counters and the kernel's scalars, and most masks compare
 * such a sum with a scalar; then the largest address that is certainly accessed is a formula over
 * the scalars and the grid. This file makes a host function of these formulas, which a launch
 * calls before anything runs:
 *
 *     store(Out + i, x, i < n)  with  i = program_id(0) * 256 + arange(0, 256)
 *     needs(n, grid) = min(grid[0] * 256 - 1, n - 1) + 1
 *
 * A launch is refused by it, so the formula must never be too large: it is made only where the
 * largest value is surely reached, and everything else (data-dependent addresses, accesses under
 * an if or in a while, masks of another form) counts as "needs nothing". It is a check that spares
 * the user the usual mistake, not a proof; that is what the interpreter is for.
 *
 * For an access in front of a buffer's first element no size is enough: PLAN_IN_FRONT is needed.
 * Views say themselves how large they are; a buffer must hold what its views declare.
 */
#include "plan/bounds.h"

#include <string.h>

enum { MAX_ACCESSES = 256 };

/* ---- masks ----------------------------------------------------------------------------------- */

/* The comparison with its sides exchanged. */
static enum ir_opcode mirrored(enum ir_opcode code)
{
    return code == IR_OP_LT   ? IR_OP_GT
           : code == IR_OP_LE ? IR_OP_GE
           : code == IR_OP_GT ? IR_OP_LT
           : code == IR_OP_GE ? IR_OP_LE
                              : code;
}

/* Restricts x to what compares with the limit; the ends must then still be reached. */
static void restrict_range(struct bounds *b, struct range *x, enum ir_opcode code,
                           struct ir_value *limit)
{
    struct ir_value *lo = x->lo, *hi = x->hi;
    if (code == IR_OP_LT)
        limit = bounds_sub(b, limit, b->one);
    if (code == IR_OP_GT)
        limit = bounds_add(b, limit, b->one);
    if (code == IR_OP_LT || code == IR_OP_LE || code == IR_OP_EQ)
        x->hi = bounds_least(b, hi, limit);
    if (code == IR_OP_GT || code == IR_OP_GE || code == IR_OP_EQ)
        x->lo = bounds_greatest(b, lo, limit);
    bounds_require(b, x, bounds_binary(b, IR_OP_LE, x->lo, x->hi));
    if (x->step != 1) {
        bounds_require(b, x, bounds_binary(b, IR_OP_EQ, x->lo, lo));
        bounds_require(b, x, bounds_binary(b, IR_OP_EQ, x->hi, hi));
    }
    x->up = x->down = 0; /* which of the variables' values are left is not known */
    x->run = 1;
}

/* Notes that accesses happen where value compares with the limit. False: that says nothing. */
static bool cut_value(struct bounds *b, const struct ir_value *value, const struct axes *axes,
                      enum ir_opcode code, struct ir_value *limit)
{
    for (int i = 0; i < b->cut_count; i++) {
        struct cut *cut = &b->cuts[i];
        if (cut->value != value)
            continue;
        restrict_range(b, &cut->range, code, limit);
        return memcmp(&cut->axes, axes, sizeof *axes) == 0;
    }
    struct cut cut = {.value = value, .range = bounds_range(b, value), .axes = *axes};
    cut.variables = cut.range.variables;
    if (!cut.range.known || cut.range.root >= 0 || b->cut_count == MAX_CUTS ||
        !bounds_move_bits(b, &cut.variables, axes))
        return false;
    for (int i = 0; i < b->cut_count; i++)
        if (b->cuts[i].variables & cut.variables)
            return false; /* two restrictions of one variable */
    restrict_range(b, &cut.range, code, limit);
    b->cuts[b->cut_count++] = cut;
    return true;
}

static bool cut_by_comparison(struct bounds *b, const struct ir_op *op, const struct axes *axes)
{
    const struct ir_value *left = strip(op->operands[0]), *right = strip(op->operands[1]);
    struct range x = bounds_range(b, left), y = bounds_range(b, right);
    if (!x.known || !y.known || x.root >= 0 || y.root >= 0 || (x.variables && y.variables))
        return false;
    b->reached = bounds_both(b, b->reached, bounds_both(b, x.condition, y.condition));
    if (!x.variables && !y.variables) {
        b->reached = bounds_both(b, b->reached, bounds_binary(b, op->code, x.lo, y.lo));
        return true;
    }
    return x.variables ? cut_value(b, left, axes, op->code, y.lo)
                       : cut_value(b, right, axes, mirrored(op->code), x.lo);
}

enum { MASK_DEPTH = 1024 };

/* Takes a mask apart, whose axes are those of the access as `axes` says. False: whether anything is
 * accessed is not known, nor is it of a mask of more than MASK_DEPTH parts behind each other. */
static bool cut_by_mask(struct bounds *b, const struct ir_value *mask, struct axes axes, int depth)
{
    uint64_t bits;
    if (depth == 0)
        return false;
    mask = strip(mask);
    if (ir_constant_bits(mask, &bits))
        return bits != 0;
    if (!mask->op)
        return false;
    switch ((int)mask->op->code) {
    case IR_OP_RESHAPE:
    case IR_OP_TRANS: {
        struct axes inner = bounds_axes(mask->op);
        for (int i = 0; i < IR_MAX_RANK; i++)
            inner.to[i] = inner.to[i] < 0 ? -1 : axes.to[inner.to[i]];
        return cut_by_mask(b, mask->op->operands[0], inner, depth - 1);
    }
    case IR_OP_AND:
        return cut_by_mask(b, mask->op->operands[0], axes, depth - 1) &&
               cut_by_mask(b, mask->op->operands[1], axes, depth - 1);
    case IR_OP_LT:
    case IR_OP_LE:
    case IR_OP_GT:
    case IR_OP_GE:
    case IR_OP_EQ:
        return cut_by_comparison(b, mask->op, &axes);
    default:
        return false;
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void need(struct bounds *b, int parameter, struct ir_value *condition,
                 struct ir_value *elements)
{
    struct ir_value **needed = &b->needed[parameter];
    if (condition)
        elements = ir_ternary(&b->builder, IR_OP_SELECT, condition, elements, b->zero);
    *needed = *needed ? bounds_binary(b, IR_OP_MAXIMUM, *needed, elements) : elements;
}

/* What the masks leave of variables that the address also depends on in other ways is not known. */
static bool is_address_certain(struct bounds *b, const struct range *address)
{
    if (!address->known || address->root < 0)
        return false;
    for (int i = 0; i < b->cut_count; i++) {
        const struct cut *cut = &b->cuts[i];
        if (!cut->used && cut->variables & address->variables)
            return false;
        b->reached = bounds_both(b, b->reached, cut->range.condition);
    }
    return true;
}

static void visit_pointer_access(struct bounds *b, const struct ir_op *op, int mask)
{
    struct axes same;
    for (int i = 0; i < IR_MAX_RANK; i++)
        same.to[i] = (int8_t)i;
    if (mask < op->operand_count && !cut_by_mask(b, op->operands[mask], same, MASK_DEPTH))
        return;
    for (int i = 0; i < b->cut_count; i++)
        b->cuts[i].used = false; /* by the address, from here on */
    struct range address = bounds_range(b, op->operands[0]);
    if (!is_address_certain(b, &address))
        return;
    struct ir_value *in_front = bounds_binary(b, IR_OP_LT, address.lo, b->zero);
    struct ir_value *elements = bounds_add(b, address.hi, b->one);
    struct ir_value *none = ir_constant_i64(&b->builder, PLAN_IN_FRONT);
    elements = ir_ternary(&b->builder, IR_OP_SELECT, in_front, none, elements);
    need(b, address.root, bounds_both(b, b->reached, address.condition), elements);
}

static void visit_view_access(struct bounds *b, const struct ir_op *op)
{
    int rank = op->attributes.view_rank;
    struct range base = bounds_range(b, op->operands[0]);
    if (!base.known || base.root < 0)
        return;
    struct ir_value *last = base.hi, *condition = bounds_both(b, b->reached, base.condition);
    for (int axis = 0; axis < rank; axis++) {
        struct range extent = bounds_range(b, op->operands[1 + axis]);
        struct range stride = bounds_range(b, op->operands[1 + rank + axis]);
        if (!extent.known || !stride.known || extent.variables || stride.variables)
            return;
        condition = bounds_both(b, condition, bounds_both(b, extent.condition, stride.condition));
        condition = bounds_both(b, condition, bounds_binary(b, IR_OP_GT, extent.lo, b->zero));
        condition = bounds_both(b, condition, bounds_binary(b, IR_OP_GE, stride.lo, b->zero));
        last = bounds_add(b, last, bounds_mul(b, bounds_sub(b, extent.lo, b->one), stride.lo));
    }
    need(b, base.root, condition, bounds_add(b, last, b->one));
}

/* Starts and ends the analysis of one access: new memo, no cuts, its aranges' variables given back.
 */
static void visit_access(struct bounds *b, const struct ir_op *op)
{
    struct ir_value *reached = b->reached;
    int variables = b->variable_count;
    if (b->access_count++ >= MAX_ACCESSES)
        return;
    b->epoch++;
    b->cut_count = 0;
    switch ((int)op->code) {
    case IR_OP_LOAD:
        visit_pointer_access(b, op, 1);
        break;
    case IR_OP_ATOMIC_CAS:
        visit_pointer_access(b, op, 3);
        break;
    case IR_OP_VIEW_LOAD:
    case IR_OP_VIEW_STORE:
        visit_view_access(b, op);
        break;
    default: /* store, atomics */
        visit_pointer_access(b, op, 2);
        break;
    }
    b->cut_count = 0;
    b->reached = reached;
    b->variable_count = variables;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void visit_region(struct bounds *b, const struct ir_region *region);

/* A loop whose bounds are known before the kernel runs. */
static void visit_for(struct bounds *b, const struct ir_op *op)
{
    struct ir_value *reached = b->reached;
    int64_t number;
    b->epoch++;
    struct range lo = bounds_range(b, op->operands[0]), hi = bounds_range(b, op->operands[1]);
    struct range step = bounds_range(b, op->operands[2]);
    if (!lo.known || !hi.known || !step.known || lo.variables || hi.variables || step.variables ||
        b->loop_count == MAX_LOOPS)
        return; /* whether it runs at all is not known */
    b->reached = bounds_both(
        b, b->reached, bounds_both(b, lo.condition, bounds_both(b, hi.condition, step.condition)));
    b->reached = bounds_both(b, b->reached, bounds_binary(b, IR_OP_LT, lo.lo, hi.lo));
    b->reached = bounds_both(b, b->reached, bounds_binary(b, IR_OP_GT, step.lo, b->zero));
    struct ir_value *distance = bounds_sub(b, bounds_sub(b, hi.lo, lo.lo), b->one);
    struct ir_value *trips = bounds_binary(b, IR_OP_DIV, distance, step.lo);
    bounds_of_magnitude(trips, bounds_magnitude(distance));
    struct ir_value *last = bounds_add(b, lo.lo, bounds_mul(b, trips, step.lo));
    bool is_number = ir_constant_int(step.lo, &number);
    struct loop *loop = &b->loops[b->loop_count++];
    int variables = b->variable_count;
    loop->counter = op->regions[0]->arguments[0];
    loop->range =
        bounds_running(bounds_variable_bit(b, NULL, 0), lo.lo, last, is_number ? number : 0, 1);
    visit_region(b, op->regions[0]);
    b->variable_count = variables;
    b->loop_count--;
    b->reached = reached;
}

/* What stands in an if or a while may not happen, so it is not looked at. */
static void visit_region(struct bounds *b, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        if (op->code == IR_OP_FOR)
            visit_for(b, op);
        else if ((ir_has(op, IR_READS) || ir_has(op, IR_WRITES)) && op->code != IR_OP_ASSERT &&
                 op->code != IR_OP_PRINT)
            visit_access(b, op);
    }
}

/* ---- the host function ----------------------------------------------------------------------- */

/* The name, or where a parameter of the kernel has it, the name with underscores behind it. */
static const char *free_name(const struct ir_func *kernel, const char *name, struct arena *arena)
{
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (strcmp(kernel->parameters[i].name, name) == 0) {
            name = arena_format(arena, "%s_", name);
            i = -1;
        }
    }
    return name;
}

/* The kernel's scalars, then the grid; one i64 per buffer comes out. */
static struct ir_func *new_host_function(struct bounds *b, struct arena *arena)
{
    const struct ir_func *kernel = b->kernel;
    static const char *const axes[3] = {"grid_x", "grid_y", "grid_z"};
    int count = 0;
    struct ir_parameter *parameters =
        ARENA_ARRAY(arena, struct ir_parameter, (size_t)kernel->parameter_count + 3);
    for (int i = 0; i < kernel->parameter_count; i++)
        if (!kernel->parameters[i].type.pointer)
            parameters[count++] = kernel->parameters[i];
    for (int axis = 0; axis < 3; axis++)
        parameters[count++] = (struct ir_parameter){.name = free_name(kernel, axes[axis], arena),
                                                    .type = ir_scalar(IR_I64)};
    struct ir_func *func =
        ir_func_new(arena, arena_format(arena, "%s.needs", kernel->name), count, parameters);
    func->result_count = kernel->parameter_count - (count - 3);
    func->results = ARENA_ARRAY(arena, struct ir_type, (size_t)func->result_count);
    for (int i = 0; i < func->result_count; i++)
        func->results[i] = ir_scalar(IR_I64);
    return func;
}

static bool is_exact_in_i64(struct ir_type type)
{
    return !type.pointer && ir_is_integer((enum ir_elem)type.elem) && type.elem != IR_U64;
}

static void bind_parameters(struct bounds *b, const struct ir_func *host)
{
    const struct ir_func *kernel = b->kernel;
    int next = 0;
    b->zero = ir_constant_i64(&b->builder, 0);
    b->one = ir_constant_i64(&b->builder, 1);
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (kernel->parameters[i].type.pointer)
            continue;
        struct ir_value *scalar = host->body->arguments[next++];
        enum ir_elem elem = (enum ir_elem)scalar->type.elem;
        int bits = ir_elems[elem].bits - ir_is_signed(elem);
        if (is_exact_in_i64(scalar->type))
            b->scalars[i] = bounds_of_magnitude(ir_cast(&b->builder, scalar, IR_I64),
                                                bits < 63 ? INT64_C(1) << bits : INT64_MAX);
    }
    for (int axis = 0; axis < 3; axis++) {
        b->grid[axis] = bounds_of_magnitude(host->body->arguments[next++], INT64_C(1) << 32);
        /* Programs beyond are there, but looking at the ones before keeps products in 64 bits. */
        struct ir_value *programs =
            bounds_least(b, b->grid[axis], ir_constant_i64(&b->builder, INT32_MAX));
        bounds_of_magnitude(programs, INT32_MAX);
        b->program_ids[axis] = bounds_running(bounds_variable_bit(b, NULL, 0), b->zero,
                                              bounds_sub(b, programs, b->one), 1, 1);
    }
}

void plan_bounds(struct ir_kernel *target, const struct ir_func *kernel, struct arena *arena)
{
    size_t count = (size_t)kernel->parameter_count;
    struct bounds state = {.kernel = kernel, .arena = arena, .epoch = 1}, *b = &state;
    struct ir_func *host = new_host_function(b, arena);
    b->builder = (struct ir_builder){.func = host, .region = host->body};
    b->scalars = ARENA_ARRAY(arena, struct ir_value *, count);
    b->needed = ARENA_ARRAY(arena, struct ir_value *, count);
    bind_parameters(b, host);
    ir_clear_marks(kernel);
    visit_region(b, kernel->body);

    struct ir_value **results = ARENA_ARRAY(arena, struct ir_value *, count);
    int result_count = 0;
    bool any = false;
    for (int i = 0; i < kernel->parameter_count; i++) {
        any = any || b->needed[i];
        if (kernel->parameters[i].type.pointer)
            results[result_count++] = b->needed[i] ? b->needed[i] : b->zero;
    }
    ir_build(&b->builder, IR_OP_RETURN, result_count, results, 0, NULL, 0, NULL);
    target->needs = any ? host : NULL;
}
