/* Memory in a report, read off GPU IR: arrays, accesses, loops, barriers; see parts.h. */
#include "report/parts.h"

#include <string.h>

const struct ir_value *report_array(const struct ir_value *pointer)
{
    while (pointer->op && pointer->op->code == IR_OP_ADDPTR)
        pointer = pointer->op->operands[0];
    return pointer;
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct access {
    bool loads, stores;
    bool masked;
    int elements;
    const struct ir_value *pointer;
};

static int vector_elements(struct ir_type type)
{
    return type.rank ? type.dims[0] : 1;
}

/* False: the op accesses no memory. An atomic operation loads and stores. */
static bool read_access(const struct ir_op *op, struct access *access)
{
    *access = (struct access){.elements = 1};
    switch ((int)op->code) {
    case IR_OP_LOAD:
        access->loads = true;
        access->masked = op->operand_count > 1;
        break;
    case IR_OP_STORE:
        access->stores = true;
        access->masked = op->operand_count > 2;
        break;
    case IR_OP_ATOMIC_ADD:
    case IR_OP_ATOMIC_MAX:
    case IR_OP_ATOMIC_MIN:
    case IR_OP_ATOMIC_AND:
    case IR_OP_ATOMIC_OR:
    case IR_OP_ATOMIC_XOR:
    case IR_OP_ATOMIC_XCHG:
        access->loads = access->stores = true;
        access->masked = op->operand_count > 2;
        break;
    case IR_OP_ATOMIC_CAS:
        access->loads = access->stores = true;
        access->masked = op->operand_count > 3;
        break;
    case GPU_OP_VECTOR_LOAD:
        access->loads = true;
        access->masked = op->operand_count > 1;
        access->elements = vector_elements(op->results[0]->type);
        break;
    case GPU_OP_VECTOR_STORE:
        access->stores = true;
        access->masked = op->operand_count > 2;
        access->elements = vector_elements(op->operands[1]->type);
        break;
    case GPU_OP_COPY_ASYNC: /* (to, from, valid[, mask]) */
        access->loads = true;
        access->masked = op->operand_count > 3;
        access->elements = (int)op->attributes.number;
        access->pointer = op->operands[1];
        return true;
    default:
        return false;
    }
    access->pointer = op->operands[0];
    return true;
}

/* From a buffer straight into threadgroup memory; its addresses are multiples of its size. */
static bool is_copy(const struct ir_op *op)
{
    return (int)op->code == GPU_OP_COPY_ASYNC;
}

static bool is_device(const struct access *access)
{
    return access->pointer->type.space == IR_SPACE_DEVICE;
}

static bool is_loop(const struct ir_op *op)
{
    return op->code == IR_OP_FOR || op->code == IR_OP_WHILE;
}

/* The innermost loop around an op, or NULL. */
static const struct ir_op *loop_around(const struct ir_op *op)
{
    while ((op = op->parent->parent) != NULL)
        if (is_loop(op))
            return op;
    return NULL;
}

static const char *counter_name(const struct report_func *f, const struct ir_op *loop)
{
    return loop && loop->code == IR_OP_FOR ? f->names[loop->regions[0]->arguments[0]->id] : NULL;
}

struct listing {
    const struct report_func *f;
    json_t *list;
    bool loads;
    int count;
};

static bool list_grouped(struct ir_op *op, void *user)
{
    struct listing *l = user;
    struct access access;
    if (!read_access(op, &access) || access.elements == 1 || !is_device(&access) ||
        access.loads != l->loads)
        return true;
    const struct ir_value *array = report_array(access.pointer);
    const char *loop = counter_name(l->f, loop_around(op));
    int bytes = (int)ir_elem_bytes((enum ir_elem)access.pointer->type.elem);
    json_t *item = json_pack("{s:s, s:i, s:i, s:b, s:s?}", "array", l->f->names[array->id],
                             "elements", access.elements, "bytes", access.elements * bytes,
                             "aligned", op->attributes.aligned || is_copy(op), "loop", loop);
    report_append(&l->list, item);
    return true;
}

json_t *report_grouped(const struct report_func *f, bool loads)
{
    struct listing l = {.f = f, .list = json_array(), .loads = loads};
    ir_walk(f->func->body, list_grouped, &l);
    return l.list;
}

struct staging {
    const struct ir_value *value;
    int to_threadgroup, elsewhere;
};

static bool look_at_use(struct ir_op *op, void *user)
{
    struct staging *s = user;
    for (int i = 0; i < op->operand_count; i++) {
        if (op->operands[i] != s->value)
            continue;
        struct access access;
        bool stores = read_access(op, &access) && access.stores && i == 1 && !is_device(&access);
        s->to_threadgroup += stores;
        s->elsewhere += !stores;
    }
    return true;
}

static bool count_staged(struct ir_op *op, void *user)
{
    struct listing *l = user;
    struct access access;
    if (!read_access(op, &access) || !access.loads || access.elements == 1 || !is_device(&access))
        return true;
    if (is_copy(op)) {
        l->count++;
        return true;
    }
    struct staging s = {.value = op->results[0]};
    ir_walk(l->f->func->body, look_at_use, &s);
    l->count += s.to_threadgroup && !s.elsewhere;
    return true;
}

int report_staged_loads(const struct report_func *f)
{
    struct listing l = {.f = f};
    ir_walk(f->func->body, count_staged, &l);
    return l.count;
}

/* A branch around an access is the mask of a whole vector. */
static bool is_in_branch(const struct ir_op *op)
{
    while ((op = op->parent->parent) != NULL)
        if (op->code == IR_OP_IF)
            return true;
    return false;
}

static bool count_masked(struct ir_op *op, void *user)
{
    struct listing *l = user;
    struct access access;
    l->count +=
        read_access(op, &access) && is_device(&access) && (access.masked || is_in_branch(op));
    return true;
}

int report_masked_accesses(const struct report_func *f)
{
    struct listing l = {.f = f};
    ir_walk(f->func->body, count_masked, &l);
    return l.count;
}

/* ---- arrays, barriers ------------------------------------------------------------------------ */

static bool list_allocation(struct ir_op *op, void *user)
{
    struct listing *l = user;
    if ((int)op->code != GPU_OP_SHARED)
        return true;
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    json_int_t elements = op->attributes.number + op->attributes.padding;
    json_t *item =
        json_pack("{s:s, s:s, s:s, s:I, s:I}", "name", op->attributes.text, "address_space",
                  "threadgroup", "element_type", ir_elems[elem].c_name, "elements", elements,
                  "bytes", elements * (json_int_t)ir_elem_bytes(elem));
    report_append(&l->list, item);
    return true;
}

json_t *report_allocations(const struct report_func *f)
{
    struct listing l = {.f = f, .list = json_array()};
    ir_walk(f->func->body, list_allocation, &l);
    return l.list;
}

static bool list_barrier(struct ir_op *op, void *user)
{
    struct listing *l = user;
    if ((int)op->code != GPU_OP_BARRIER)
        return true;
    json_t *item = json_pack("{s:s, s:s?}", "scope", ir_scope_names[op->attributes.scope], "loop",
                             counter_name(l->f, loop_around(op)));
    report_append(&l->list, item);
    return true;
}

json_t *report_barriers(const struct report_func *f)
{
    struct listing l = {.f = f, .list = json_array()};
    ir_walk(f->func->body, list_barrier, &l);
    return l.list;
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct body {
    bool loads; /* what is counted */
    bool any, masked;
};

static void look_at_body(const struct ir_region *region, struct body *body);

/* Of a branch, the first side that accesses buffers counts: the other one is its slow form. */
static void look_at_branch(const struct ir_op *op, struct body *body)
{
    bool before = body->any;
    body->any = false;
    for (int i = 0; i < op->region_count && !body->any; i++)
        look_at_body(op->regions[i], body);
    body->masked = body->masked || body->any;
    body->any = body->any || before;
}

/* Adds the elements accessed to the marks of the arrays they are in; loops inside count alone. */
static void look_at_body(const struct ir_region *region, struct body *body)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        struct access access;
        if (op->code == IR_OP_IF) {
            look_at_branch(op, body);
        } else if (read_access(op, &access) && is_device(&access)) {
            struct ir_value *array = (struct ir_value *)report_array(access.pointer);
            body->any = true;
            body->masked = body->masked || access.masked;
            if (body->loads ? access.loads : access.stores)
                array->mark += access.elements;
        }
    }
}

/* Most elements of one array that a thread loads, or stores, in a trip. */
static int64_t elements_per_trip(const struct ir_func *func, const struct ir_op *loop,
                                 struct body *body)
{
    int64_t most = 0;
    for (int loads = 0; loads < 2; loads++) {
        body->loads = loads;
        for (int i = 0; i < func->parameter_count; i++)
            func->body->arguments[i]->mark = 0;
        look_at_body(loop->regions[loop->region_count - 1], body);
        for (int i = 0; i < func->parameter_count; i++)
            if (func->body->arguments[i]->mark > most)
                most = func->body->arguments[i]->mark;
    }
    return most;
}

/* What the prologue computes for a parameter; the value itself where it is none of its results. */
static const struct ir_value *in_prologue(const struct gpu_kernel *kernel,
                                          const struct ir_value *value)
{
    int own = kernel->func->parameter_count - kernel->uniform_count;
    if (value->op || value->region != kernel->func->body || value->index < own)
        return value;
    return kernel->prologue->body->last->operands[value->index - own];
}

/* Whether value is certainly a multiple of n. */
static bool is_multiple(const struct gpu_kernel *kernel, const struct ir_value *value, int64_t n)
{
    int64_t number;
    value = in_prologue(kernel, value);
    if (ir_constant_int(value, &number))
        return number % n == 0;
    const struct ir_op *op = value->op;
    if (op && op->code == IR_OP_CAST) /* a loop's bound is widened only */
        return is_multiple(kernel, op->operands[0], n);
    if (!op || op->code != IR_OP_MUL)
        return false;
    return is_multiple(kernel, op->operands[0], n) || is_multiple(kernel, op->operands[1], n);
}

static bool is_interior(const struct gpu_kernel *kernel, const struct ir_op *loop, int64_t step,
                        const struct body *body)
{
    return step > 0 && body->any && !body->masked && is_multiple(kernel, loop->operands[0], step) &&
           is_multiple(kernel, loop->operands[1], step);
}

struct looking_for_front {
    const struct ir_op *tail;
    bool found;
};

/* Whether a loop ends where the tail begins. */
static bool is_in_front(struct ir_op *op, void *user)
{
    struct looking_for_front *l = user;
    l->found = l->found ||
               (op->code == IR_OP_FOR && op != l->tail && op->operands[1] == l->tail->operands[0]);
    return !l->found;
}

static const char *loop_kind(const struct gpu_kernel *kernel, const struct ir_op *loop,
                             int64_t step, const struct body *body)
{
    struct looking_for_front front = {.tail = loop};
    if (loop->code == IR_OP_WHILE)
        return "while";
    if (is_interior(kernel, loop, step, body))
        return "aligned_interior";
    if (body->masked)
        ir_walk(kernel->func->body, is_in_front, &front);
    return front.found ? "masked_tail" : "loop";
}

static bool list_loop(struct ir_op *op, void *user)
{
    struct listing *l = user;
    int64_t step = 0;
    struct body body = {0};
    if (!is_loop(op))
        return true;
    json_int_t elements = elements_per_trip(l->f->func, op, &body);
    if (op->code != IR_OP_FOR || !ir_constant_int(op->operands[2], &step))
        step = 0;
    json_t *item =
        json_pack("{s:s?, s:o, s:s, s:i, s:I, s:o}", "induction_variable", counter_name(l->f, op),
                  "line", report_line(op), "kind", loop_kind(l->f->kernel, op, step, &body),
                  "lanes", l->f->kernel->threads, "elements_per_lane", elements, "iteration_step",
                  step ? json_integer(step) : json_null());
    report_append(&l->list, item);
    return true;
}

json_t *report_loops(const struct report_func *f)
{
    struct listing l = {.f = f, .list = json_array()};
    ir_walk(f->func->body, list_loop, &l);
    return l.list;
}
