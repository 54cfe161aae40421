/*
 * Expressions of a launch export, such as "cdiv(n, 1024)", as host functions: the ops of
 * docs/ops.md by name over integers and the kernel's scalars, all of it in 64 bits. What
 * build_msl.c writes can be read again.
 */
#include "run/metal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

struct expression {
    struct ir_builder b;
    const char *at;
    const char *why; /* what is wrong, once something is */
};

static struct ir_value *fail(struct expression *e, const char *why)
{
    e->why = e->why ? e->why : why;
    return NULL;
}

static void skip_blanks(struct expression *e)
{
    while (isspace((unsigned char)*e->at))
        e->at++;
}

static struct ir_value *read_number(struct expression *e)
{
    char *end;
    errno = 0;
    long long number = strtoll(e->at, &end, 0);
    if (errno || end == e->at)
        return fail(e, "a number that is none, or too large");
    e->at = end;
    return ir_constant_i64(&e->b, number);
}

static struct ir_value *read_scalar(struct expression *e, const char *name, size_t length)
{
    const struct ir_func *func = e->b.func;
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *parameter = &func->parameters[i];
        if (strlen(parameter->name) != length || memcmp(parameter->name, name, length) != 0)
            continue;
        if (ir_elems[parameter->type.elem].kind == IR_KIND_FLOAT)
            return fail(e, "a scalar that is no integer");
        return ir_cast(&e->b, func->body->arguments[i], IR_I64);
    }
    return fail(e, "a name that is no scalar of the kernel");
}

static int find_op(const char *name, size_t length)
{
    for (int code = 0; code < IR_OP_COUNT; code++)
        if (strlen(ir_ops[code].name) == length && memcmp(ir_ops[code].name, name, length) == 0 &&
            (ir_ops[code].flags & (IR_PURE | IR_ELEMENTWISE)) == (IR_PURE | IR_ELEMENTWISE) &&
            !(ir_ops[code].flags & IR_FLOAT) && ir_ops[code].attribute == IR_ATTRIBUTE_NONE)
            return code;
    return -1;
}

static struct ir_value *read_value(struct expression *e, int depth);

/* Whether the rule gives the result a type and takes operands of these types. */
static bool takes(int code, struct ir_value *const *v, int count)
{
    bool same = count < 2 || ir_type_equal(v[count - 1]->type, v[count - 2]->type);
    bool is_bool = v[0]->type.elem == IR_BOOL;
    switch (ir_ops[code].rule) {
    case IR_RULE_LIKE_FIRST:
        return same && (!is_bool || ir_ops[code].flags & IR_LOGIC);
    case IR_RULE_COMPARE:
        return same;
    case IR_RULE_SELECT:
        return same && is_bool;
    default:
        return false;
    }
}

static struct ir_value *read_call(struct expression *e, int code, int depth)
{
    struct ir_value *operands[3];
    int count = 0;
    do {
        e->at++;
        if (count == 3 || !(operands[count++] = read_value(e, depth + 1)))
            return fail(e, "more operands than an op has");
        skip_blanks(e);
    } while (*e->at == ',');
    if (*e->at != ')')
        return fail(e, "no ')'");
    e->at++;
    if (count < ir_ops[code].least || (ir_ops[code].most >= 0 && count > ir_ops[code].most) ||
        !takes(code, operands, count))
        return fail(e, "an op with operands that it does not take");
    if (count == 1)
        return ir_unary(&e->b, (enum ir_opcode)code, operands[0]);
    if (count == 2)
        return ir_binary(&e->b, (enum ir_opcode)code, operands[0], operands[1]);
    return ir_ternary(&e->b, (enum ir_opcode)code, operands[0], operands[1], operands[2]);
}

static struct ir_value *read_value(struct expression *e, int depth)
{
    skip_blanks(e);
    if (depth > DEEPEST)
        return fail(e, "too many parentheses inside one another");
    if (isdigit((unsigned char)*e->at) || *e->at == '-')
        return read_number(e);
    const char *name = e->at;
    while (isalnum((unsigned char)*e->at) || *e->at == '_')
        e->at++;
    size_t length = (size_t)(e->at - name);
    skip_blanks(e);
    if (*e->at != '(')
        return read_scalar(e, name, length);
    int code = find_op(name, length);
    return code < 0 ? fail(e, "an op that there is not") : read_call(e, code, depth);
}

/* The values of `text`, separated by commas. */
static int read_values(struct expression *e, struct ir_value **values, int most)
{
    int count = 0;
    for (;; e->at++) {
        struct ir_value *value = count < most ? read_value(e, 0) : fail(e, "too many values");
        if (!value)
            return 0;
        values[count++] = value;
        skip_blanks(e);
        if (*e->at != ',')
            break;
    }
    if (*e->at)
        fail(e, "something behind its end");
    return e->why ? 0 : count;
}

/* The value as the wanted element: numbers are 64 bits until here. A condition that was decided
 * when the kernel was compiled is 1 or 0. */
static struct ir_value *as_wanted(struct expression *e, struct ir_value *value, enum ir_elem wanted)
{
    bool is_bool = value->type.elem == IR_BOOL;
    int64_t decided;
    if (wanted == IR_BOOL && !is_bool && ir_constant_int(value, &decided) && decided >> 1 == 0)
        return ir_constant(&e->b, ir_scalar(IR_BOOL), (uint64_t)decided);
    if (is_bool != (wanted == IR_BOOL) || ir_elems[wanted].kind == IR_KIND_FLOAT)
        return fail(e, is_bool ? "a condition, no number" : "no condition");
    return ir_cast(&e->b, value, wanted);
}

struct ir_func *metal_expressions(struct arena *arena, const struct metal_scalars *scalars,
                                  const char *text, int most, const enum ir_elem *wanted,
                                  const char **why)
{
    struct ir_value **values = ARENA_ARRAY(arena, struct ir_value *, (size_t)most);
    struct ir_func *func = ir_func_new(arena, "host", scalars->count, scalars->items);
    struct expression e = {.b = {.func = func, .region = func->body}, .at = text};
    int count = read_values(&e, values, most);
    func->results = ARENA_ARRAY(arena, struct ir_type, (size_t)most);
    if (wanted && count != most)
        fail(&e, "too few values");
    for (int i = 0; i < count && !e.why; i++) {
        enum ir_elem elem = wanted ? wanted[i] : IR_I64;
        values[i] = as_wanted(&e, values[i], elem);
        func->results[func->result_count++] = ir_scalar(elem);
    }
    if (!e.why) {
        struct diagnostics found;
        diagnostics_init(&found, arena);
        ir_build(&e.b, IR_OP_RETURN, count, values, 0, NULL, 0, NULL);
        if (!ir_verify(func, &found))
            fail(&e, "an op that takes no integers");
    }
    *why = e.why;
    return e.why ? NULL : func;
}
