/*
 * hoist_uniforms: what hangs on the launch's scalars alone is computed once per launch, on the
 * host.
 *
 *   func @k(%X: ptr<f32>, %n: i32)               func @k(%X: ptr<f32>, %n: i32, %uniform0: i32)
 *     %N = cast %n : i64                           %e = cast %uniform0 : i64
 *     %q = div %N, %1000 : i64             ->      for %i = %0 to %e step %1000 { ... }
 *     %e = mul %q, %1000 : i64
 *     for %i = %0 to %e step %1000 { ... }       prologue: (%n) -> (mul (div (cast %n), 1000),
 * 1000)
 *
 * The value becomes a parameter behind the kernel's own; a host function, the prologue, computes
 * all of them. They are integers, and where the target says so floats, too, such as 1.0f / n: then
 * only by ops that round alike everywhere, not by functions. A value moves if that saves a division
 * or several ops; where an integer's range fits it is passed in 32 bits and widened, so that what is
 * known of its range stays known.
 */
#include "gpu/pass.h"
#include "ir/affine.h"

enum { MOST_UNIFORMS = 4, MOST_PARAMETERS = 24, MOST_DEPTH = 16, WORTH = 3, MOST_COST = 99 };
enum { MOST_OPERANDS = 3 };

struct hoister {
    struct pass_context *context;
    struct ir_func *func;
    struct ir_builder host;   /* into the prologue */
    struct ir_value **hosted; /* by parameter of func: the prologue's, or NULL */
    int count;
    struct ir_value *roots[MOST_UNIFORMS];
};

/* ---- which values ---------------------------------------------------------------------------- */

static bool is_scalar_parameter(const struct ir_value *value)
{
    return !value->op && value->region && !value->region->parent && !value->type.pointer;
}

static bool is_parameter(const struct ir_value *value)
{
    return is_scalar_parameter(value) && ir_is_integer((enum ir_elem)value->type.elem);
}

/* Of what the prologue computes with: 64-bit integers, and floats where they may move. */
static bool is_host_type(const struct hoister *h, struct ir_type type)
{
    bool is_float = type.elem == IR_F32 || type.elem == IR_F64;
    return type.rank == 0 && !type.pointer &&
           (type.elem == IR_I64 || (is_float && h->context->hoists_floats));
}

/* Casts that only widen an integer, and to float from what may stand in the prologue. */
static bool is_host_cast(const struct hoister *h, const struct ir_op *op)
{
    const struct ir_value *from = op->operands[0];
    if (op->results[0]->type.elem == IR_I64)
        return is_parameter(from) && from->type.elem != IR_U64;
    return is_parameter(from) || is_host_type(h, from->type);
}

/* Ops that the export can write down: in 64 bits; and those on floats that round exactly. */
static bool is_host_op(const struct hoister *h, const struct ir_op *op)
{
    bool is_float = op->result_count == 1 && op->results[0]->type.elem != IR_I64;
    if (op->result_count != 1 || !is_host_type(h, op->results[0]->type))
        return false;
    switch (op->code) {
    case IR_OP_CAST:
        return is_host_cast(h, op);
    case IR_OP_ADD:
    case IR_OP_SUB:
    case IR_OP_MUL:
    case IR_OP_DIV:
    case IR_OP_MINIMUM:
    case IR_OP_MAXIMUM:
        return true;
    case IR_OP_REM:
    case IR_OP_CDIV:
    case IR_OP_SHL:
    case IR_OP_SHR:
        return !is_float;
    case IR_OP_FMA:
    case IR_OP_SQRT:
        return is_float;
    default:
        return false;
    }
}

/* Of the op alone, on the device. */
static int own_cost(const struct ir_op *op)
{
    switch (op->code) {
    case IR_OP_CAST:
        return op->results[0]->type.elem == IR_I64 ? 0 : 1;
    case IR_OP_DIV:
    case IR_OP_REM:
    case IR_OP_CDIV:
    case IR_OP_SQRT:
        return WORTH;
    default:
        return 1;
    }
}

/* What it costs on the device, or -1 where the host cannot compute it. mark: that and 2, if known.
 */
static int cost_of(const struct hoister *h, struct ir_value *value, int depth)
{
    const struct ir_op *op = value->op;
    if (!op)
        return is_scalar_parameter(value) && is_host_type(h, value->type) ? 0 : -1;
    if (op->code == IR_OP_CONSTANT)
        return is_host_type(h, value->type) ? 0 : -1;
    if (value->mark)
        return (int)value->mark - 2;
    int cost = -1;
    if (is_host_op(h, op) && depth > 0) {
        bool from_parameter = op->code == IR_OP_CAST && is_parameter(op->operands[0]);
        cost = own_cost(op);
        for (int i = 0; !from_parameter && cost >= 0 && i < op->operand_count; i++) {
            int more = cost_of(h, op->operands[i], depth - 1);
            cost = more < 0 ? -1 : cost + more < MOST_COST ? cost + more : MOST_COST;
        }
    }
    value->mark = cost + 2;
    return cost;
}

static bool is_worth_it(const struct hoister *h, struct ir_value *value)
{
    return value->op && cost_of(h, value, MOST_DEPTH) >= WORTH;
}

static void add_root(struct hoister *h, struct ir_value *value)
{
    for (int i = 0; i < h->count; i++) {
        if (h->roots[i] == value)
            return;
    }
    if (h->count < MOST_UNIFORMS && h->func->parameter_count + h->count < MOST_PARAMETERS)
        h->roots[h->count++] = value;
}

/* Operands that may move of an op that may not. */
static bool look(struct ir_op *op, void *user)
{
    struct hoister *h = user;
    if (op->result_count == 1 && is_worth_it(h, op->results[0]))
        return true;
    for (int i = 0; i < op->operand_count; i++) {
        if (is_worth_it(h, op->operands[i]))
            add_root(h, op->operands[i]);
    }
    return true;
}

/* ---- the prologue ---------------------------------------------------------------------------- */

static struct ir_func *new_prologue(struct hoister *h)
{
    const struct ir_func *func = h->func;
    struct ir_parameter *scalars =
        ARENA_ARRAY(func->arena, struct ir_parameter, (size_t)func->parameter_count);
    int count = 0;
    for (int i = 0; i < func->parameter_count; i++) {
        if (!func->parameters[i].type.pointer)
            scalars[count++] = func->parameters[i];
    }
    struct ir_func *made = ir_func_new(func->arena, "prologue", count, scalars);
    h->hosted = ARENA_ARRAY(func->arena, struct ir_value *, (size_t)func->parameter_count);
    for (int i = 0, k = 0; i < func->parameter_count; i++)
        h->hosted[i] = func->parameters[i].type.pointer ? NULL : made->body->arguments[k++];
    h->host = (struct ir_builder){.func = made, .region = made->body, .range = func->range};
    return made;
}

/* data: what stands for the value there. */
static struct ir_value *on_host(struct hoister *h, struct ir_value *value)
{
    const struct ir_op *op = value->op;
    struct ir_value *operands[MOST_OPERANDS];
    if (!op)
        return h->hosted[value->index];
    if (value->data)
        return value->data;
    for (int i = 0; i < op->operand_count; i++)
        operands[i] = on_host(h, op->operands[i]);
    value->data = ir_build(&h->host, op->code, op->operand_count, operands, 1, &value->type, 0,
                           &op->attributes)
                      ->results[0];
    return value->data;
}

/* ---- the kernel ------------------------------------------------------------------------------ */

struct ir_value *gpu_add_parameter(struct ir_func *func, const char *name, struct ir_type type)
{
    int count = func->parameter_count;
    struct ir_parameter *parameters =
        ARENA_ARRAY(func->arena, struct ir_parameter, (size_t)count + 1);
    for (int i = 0; i < count; i++)
        parameters[i] = func->parameters[i];
    parameters[count] = (struct ir_parameter){.name = name, .type = type, .range = func->range};
    func->parameters = parameters;
    func->parameter_count = count + 1;
    return ir_region_add_argument(func, func->body, type, name);
}

static void replace(struct ir_func *func, struct ir_value *root, struct ir_value *argument,
                    bool narrow)
{
    struct ir_builder b = pass_builder(func, func->body->first);
    ir_replace(root, narrow ? ir_cast(&b, argument, IR_I64) : argument);
}

static bool is_narrow(const struct ir_value *value)
{
    struct ir_interval range = ir_range(value);
    return range.least >= INT32_MIN && range.most <= INT32_MAX;
}

static bool clear(struct ir_op *op, void *user)
{
    (void)user;
    for (int i = 0; i < op->result_count; i++) {
        op->results[i]->data = NULL;
        op->results[i]->mark = 0;
    }
    return true;
}

bool pass_hoist_uniforms(struct pass_context *context, struct ir_func *func)
{
    struct hoister h = {.context = context, .func = func};
    struct ir_value *results[MOST_UNIFORMS];
    struct ir_type *types = ARENA_ARRAY(func->arena, struct ir_type, MOST_UNIFORMS);
    if (!context->hoists || context->prologue)
        return false;
    ir_walk(func->body, clear, NULL);
    ir_walk(func->body, look, &h);
    if (h.count == 0)
        return false;
    struct ir_func *prologue = new_prologue(&h);
    for (int i = 0; i < h.count; i++) {
        bool narrow = h.roots[i]->type.elem == IR_I64 && is_narrow(h.roots[i]);
        results[i] = on_host(&h, h.roots[i]);
        if (narrow)
            results[i] = ir_cast(&h.host, results[i], IR_I32);
        types[i] = results[i]->type;
        const char *name = arena_format(func->arena, "uniform%d", i);
        replace(func, h.roots[i], gpu_add_parameter(func, name, types[i]), narrow);
    }
    ir_build(&h.host, IR_OP_RETURN, h.count, results, 0, NULL, 0, NULL);
    prologue->result_count = h.count;
    prologue->results = types;
    ir_apply_replacements(func);
    context->prologue = prologue;
    return true;
}
