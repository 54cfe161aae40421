/*
 * The verifier of GPU IR, and its reader.
 *
 * ir_verify_level checks what GPU IR has in common with Tile IR: structure, visibility, the types
 * of shared ops. Here: only ops that one thread can do, on scalars and short vectors; the rules of
 * the GPU ops; threadgroup memory is allocated once, at the start; and threads reach every barrier,
 * shuffle and group reduction together, as far as can be seen from the values.
 */
#include "base/bits.h"
#include "gpu/aligned.h"
#include "gpu/uniform.h"
#include "gpu/verify_cluster.h"
#include "gpu/verify_team.h"

enum { MOST_VECTOR = 16, MOST_THREADS = 16 * 1024 /* of a cluster of blocks */ };

struct checker {
    struct diagnostics *diagnostics;
    int divergent; /* depth of control flow that threads may take apart */
    bool fine;
};

static bool broken(struct checker *c, const struct ir_op *op, const char *message)
{
    const char *name = (unsigned)op->code < GPU_OP_END ? ir_ops[op->code].name : "unknown op";
    c->fine = false;
    diagnostics_add(c->diagnostics, DIAGNOSTIC_ERROR, op->range, "'%s': %s", name, message);
    return false;
}

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return broken(c, op, arena_format(c->diagnostics->arena, __VA_ARGS__));                \
    } while (0)

/* ---- types ----------------------------------------------------------------------------------- */

static bool is_thread_value(struct ir_type type)
{
    if (type.rank == 0)
        return true;
    return type.rank == 1 && !type.pointer && type.dims[0] >= 2 && type.dims[0] <= MOST_VECTOR;
}

/* How many elements of a fragment each lane has; 0 if it is none. */
static int fragment_elements(struct ir_type type)
{
    int64_t count = ir_element_count(type);
    bool fine = type.rank == 2 && !type.pointer && type.dims[0] <= 64 && type.dims[1] <= 64 &&
                count % GPU_LANES == 0;
    return fine ? (int)(count / GPU_LANES) : 0;
}

/* Fragment ops and control flow alone handle fragments. */
static bool may_be_fragment(const struct ir_op *op)
{
    int code = (int)op->code;
    return op->region_count > 0 || ir_has(op, IR_TERMINATOR) ||
           (code >= GPU_OP_FRAGMENT_LOAD && code <= GPU_OP_FRAGMENT_MMA) ||
           code == GPU_OP_WARPGROUP_MMA || code == GPU_OP_WARPGROUP_WAIT;
}

static bool check_values(struct checker *c, const struct ir_op *op)
{
    bool fragment = may_be_fragment(op);
    for (int i = 0; i < op->result_count; i++)
        CHECK(is_thread_value(op->results[i]->type) ||
                  (fragment && fragment_elements(op->results[i]->type)),
              "result %d is neither a scalar nor a vector of 2 to %d elements", i, MOST_VECTOR);
    for (int i = 0; i < op->operand_count; i++)
        CHECK(fragment || is_thread_value(op->operands[i]->type), "operand %d is a fragment", i);
    return true;
}

static struct ir_type type_of(const struct ir_op *op, int i)
{
    return op->operands[i]->type;
}

static bool is_i64(struct ir_type type)
{
    return ir_type_equal(type, ir_scalar(IR_I64));
}

static bool check_result(struct checker *c, const struct ir_op *op, struct ir_type wanted)
{
    CHECK(op->result_count == 1 && ir_type_equal(op->results[0]->type, wanted),
          "the result has the wrong type");
    return true;
}

/* What one lane can offer another: 32 bits at most. */
static bool check_lane_value(struct checker *c, const struct ir_op *op)
{
    struct ir_type type = type_of(op, 0);
    CHECK(type.rank == 0 && !type.pointer && type.elem != IR_BOOL &&
              ir_elem_bytes((enum ir_elem)type.elem) <= 4,
          "lanes exchange scalars of at most 32 bits, no bools");
    return true;
}

/* ---- ops that Tile IR has too ---------------------------------------------------------------- */

static bool check_shared_op(struct checker *c, const struct ir_op *op)
{
    if (op->code == IR_OP_LOAD || op->code == IR_OP_STORE || ir_is_atomic(op)) {
        CHECK(type_of(op, 0).rank == 0, "through a vector of pointers");
        return true;
    }
    switch (op->code) {
    case IR_OP_CONSTANT:
    case IR_OP_PROGRAM_ID:
    case IR_OP_NUM_PROGRAMS:
    case IR_OP_FOR:
    case IR_OP_IF:
    case IR_OP_WHILE:
    case IR_OP_YIELD:
    case IR_OP_CONDITION:
    case IR_OP_RETURN:
        return true;
    case IR_OP_ARANGE:
        CHECK(!op->attributes.layout, "has a layout");
        return true;
    case IR_OP_BROADCAST:
        CHECK(type_of(op, 0).rank == 0, "of a vector");
        return true;
    default:
        CHECK(ir_has(op, IR_PURE | IR_ELEMENTWISE) && op->code != IR_OP_CONVERT_LAYOUT,
              "is no op of one thread");
        return true;
    }
}

/* ---- ops of GPU IR alone --------------------------------------------------------------------- */

static bool check_number(struct checker *c, const struct ir_op *op)
{
    CHECK(op->attributes.begin == 0 && op->attributes.end >= 1 &&
              op->attributes.end <= MOST_THREADS && !op->attributes.layout,
          "a range that is not 0 to 1..%d", MOST_THREADS);
    return check_result(c, op, ir_scalar(IR_I64));
}

static bool check_shared(struct checker *c, const struct ir_op *op)
{
    CHECK(!op->parent->parent, "inside a region");
    CHECK(op->attributes.text && op->attributes.number >= 1 && op->attributes.padding >= 0 &&
              op->attributes.number <= IR_MAX_ELEMENTS && op->attributes.padding <= IR_MAX_ELEMENTS,
          "no name or a wrong size");
    CHECK(op->result_count == 1, "%d results", op->result_count);
    struct ir_type type = op->results[0]->type;
    CHECK(type.pointer && type.space == IR_SPACE_THREADGROUP && type.rank == 0,
          "the result is no pointer into threadgroup memory");
    return true;
}

static bool check_vector_access(struct checker *c, const struct ir_op *op)
{
    struct ir_type pointer = type_of(op, 0);
    bool load = (int)op->code == GPU_OP_VECTOR_LOAD;
    CHECK(op->result_count == load, "%d results", op->result_count);
    struct ir_type vector = load ? op->results[0]->type : type_of(op, 1);
    CHECK(pointer.pointer && pointer.rank == 0, "operand 0 is no scalar pointer");
    CHECK(vector.rank == 1 && !vector.pointer && vector.elem == pointer.elem &&
              is_thread_value(vector),
          "what is accessed is no vector of the pointer's element");
    CHECK(op->operand_count != 2 || !load, "a mask, but nothing instead of what is not loaded");
    int mask = load ? 1 : 2;
    CHECK(op->operand_count <= mask ||
              ir_type_equal(type_of(op, mask), ir_scalar(IR_BOOL)),
          "the mask is no scalar bool");
    CHECK(op->operand_count != 3 || !load || ir_type_equal(type_of(op, 2), vector),
          "what is taken instead is no such vector");
    CHECK(!op->attributes.aligned || pointer.space != IR_SPACE_THREADGROUP ||
              gpu_is_aligned(op->operands[0], vector.dims[0]),
          "the address is not seen to be a multiple of the vector's size");
    return true;
}

static bool check_fetch(struct checker *c, const struct ir_op *op)
{
    struct ir_type from = type_of(op, 0);
    CHECK(op->result_count == 0 && op->attributes.number > 0, "a result, or of no bytes");
    CHECK(from.pointer && from.rank == 0 && from.space == IR_SPACE_DEVICE,
          "operand 0 is no pointer into a buffer");
    CHECK(op->operand_count == 1 || ir_type_equal(type_of(op, 1), ir_scalar(IR_BOOL)),
          "operand 1 is no bool");
    return true;
}

static bool check_copy(struct checker *c, const struct ir_op *op)
{
    struct ir_type to = type_of(op, 0), from = type_of(op, 1);
    int64_t count = op->attributes.number, bytes = count * (int64_t)ir_elem_bytes(from.elem);
    CHECK(op->result_count == 0, "%d results", op->result_count);
    CHECK(to.pointer && to.rank == 0 && to.space == IR_SPACE_THREADGROUP,
          "operand 0 is no pointer into threadgroup memory");
    CHECK(from.pointer && from.rank == 0 && from.space == IR_SPACE_DEVICE && from.elem == to.elem,
          "operand 1 is no pointer of this element into a buffer");
    for (int i = 2; i < op->operand_count; i++)
        CHECK(ir_type_equal(type_of(op, i), ir_scalar(IR_BOOL)), "operand %d is no bool", i);
    CHECK(count > 0 && (bytes == 4 || bytes == 8 || bytes == 16), "of %lld bytes",
          (long long)bytes);
    CHECK(gpu_is_aligned(op->operands[0], count),
          "the address is not seen to be a multiple of the copy's size");
    return true;
}

static bool check_pack(struct checker *c, const struct ir_op *op)
{
    int32_t count = op->operand_count;
    for (int i = 0; i < count; i++)
        CHECK(ir_type_equal(type_of(op, i), type_of(op, 0)) && type_of(op, i).rank == 0 &&
                  !type_of(op, i).pointer,
              "operand %d is no scalar like the first", i);
    return check_result(c, op, ir_tile((enum ir_elem)type_of(op, 0).elem, 1, &count));
}

static bool check_outer(struct checker *c, const struct ir_op *op)
{
    struct ir_type a = type_of(op, 0), b = type_of(op, 1), sum = type_of(op, 2);
    CHECK(a.rank == 1 && b.rank == 1 && sum.rank == 1 && !sum.pointer &&
              a.dims[0] * b.dims[0] == sum.dims[0],
          "the operands are no vectors whose lengths fit together");
    CHECK(a.elem == sum.elem && b.elem == sum.elem && ir_is_float((enum ir_elem)sum.elem),
          "the elements are no floats of one kind");
    return check_result(c, op, sum);
}

static bool check_extract(struct checker *c, const struct ir_op *op)
{
    struct ir_type type = type_of(op, 0);
    CHECK(type.rank == 1 && !type.pointer && op->attributes.number >= 0 &&
              op->attributes.number < type.dims[0],
          "there is no element %lld", (long long)op->attributes.number);
    return check_result(c, op, ir_scalar((enum ir_elem)type.elem));
}

static bool check_group_op(struct checker *c, const struct ir_op *op)
{
    struct ir_type type = type_of(op, 0);
    CHECK(type.rank == 0 && !type.pointer && ir_elem_bytes((enum ir_elem)type.elem) <= 4,
          "lanes combine scalars of at most 32 bits");
    return true;
}

static bool check_fragment_access(struct checker *c, const struct ir_op *op)
{
    bool load = (int)op->code == GPU_OP_FRAGMENT_LOAD;
    bool pair = (int)op->code == GPU_OP_FRAGMENT_LOAD_PAIR;
    load = load || pair;
    CHECK(op->result_count == load + pair &&
              (!pair || ir_type_equal(op->results[0]->type, op->results[1]->type)),
          "%d results", op->result_count);
    struct ir_type pointer = type_of(op, 0), type = load ? op->results[0]->type : type_of(op, 2);
    CHECK(pointer.pointer && pointer.rank == 0, "operand 0 is no scalar pointer");
    CHECK(is_i64(type_of(op, 1)), "the stride is no i64");
    CHECK(!load || op->operand_count == 2 || is_i64(type_of(op, 2)), "the place is no i64");
    CHECK(fragment_elements(type) && type.elem == pointer.elem,
          "what is accessed is no fragment of the pointer's element");
    return true;
}

/* A fragment and what one lane has of it. */
static bool check_fragment_lanes(struct checker *c, const struct ir_op *op, struct ir_type fragment,
                                 struct ir_type vector)
{
    int32_t count = fragment_elements(fragment);
    CHECK(count > 0, "there is no fragment");
    struct ir_type wanted = count > 1 ? ir_tile((enum ir_elem)fragment.elem, 1, &count)
                                      : ir_scalar((enum ir_elem)fragment.elem);
    CHECK(ir_type_equal(vector, wanted), "each lane has %d elements of the fragment", (int)count);
    return true;
}

static bool check_mma(struct checker *c, const struct ir_op *op)
{
    struct ir_type a = type_of(op, 0), b = type_of(op, 1), sum = type_of(op, 2);
    CHECK(fragment_elements(a) && fragment_elements(b) && fragment_elements(sum),
          "an operand is no fragment");
    CHECK(a.elem == b.elem && a.dims[1] == b.dims[0] && a.dims[0] == sum.dims[0] &&
              b.dims[1] == sum.dims[1],
          "the shapes do not fit together");
    return check_result(c, op, sum);
}

static bool check_fragment_op(struct checker *c, const struct ir_op *op)
{
    switch ((int)op->code) {
    case GPU_OP_FRAGMENT_LOAD:
    case GPU_OP_FRAGMENT_LOAD_PAIR:
    case GPU_OP_FRAGMENT_STORE:
        return check_fragment_access(c, op);
    case GPU_OP_FRAGMENT_FILL:
        CHECK(op->result_count == 1 && fragment_elements(op->results[0]->type) &&
                  ir_type_equal(type_of(op, 0),
                                ir_scalar((enum ir_elem)op->results[0]->type.elem)),
              "does not fill a fragment with a scalar of its element");
        return true;
    case GPU_OP_FRAGMENT_MMA:
        return check_mma(c, op);
    default:
        CHECK(op->result_count == 1, "%d results", op->result_count);
        struct ir_type from = type_of(op, 0), to = op->results[0]->type;
        bool pack = (int)op->code == GPU_OP_FRAGMENT_PACK;
        return check_fragment_lanes(c, op, pack ? to : from, pack ? from : to);
    }
}

/* One of two matrices of 16-bit elements: panels of swizzled rows, of which eight are a unit. */
static bool check_matrix(struct checker *c, const struct ir_op *op, int i)
{
    const struct ir_matrix *m = &op->attributes.matrices[i];
    struct ir_type type = type_of(op, i);
    CHECK(type.pointer && type.rank == 0 && (type.elem == IR_F16 || type.elem == IR_BF16) &&
              type.elem == type_of(op, 0).elem,
          "operand %d is no pointer to half or bfloat", i);
    CHECK(gpu_is_matrix(op->operands[i]), "operand %d is not seen to be where swizzled rows may be",
          i);
    CHECK((m->row == 16 || m->row == 32 || m->row == 64) && m->panel > 0 &&
              m->panel % (8 * m->row) == 0 && m->panel <= 1 << 16,
          "there are no panels of %d of %lld elements", m->row, (long long)m->panel);
    return true;
}

static bool check_warpgroup_mma(struct checker *c, const struct ir_op *op)
{
    int count = op->operand_count - 2;
    int32_t dims[] = {16, 8};
    struct ir_type fragment = ir_tile(IR_F32, 2, dims);
    CHECK(count == op->result_count && count <= 32 && bits_is_power(count),
          "%d fragments, %d results", count, op->result_count);
    for (int i = 0; i < count; i++)
        CHECK(ir_type_equal(type_of(op, 2 + i), fragment) &&
                  ir_type_equal(op->results[i]->type, fragment),
              "sum %d is no fragment of 16 x 8 floats", i);
    struct ir_type a = type_of(op, 0);
    int32_t left[] = {16, 16};
    if (a.rank == 0)
        return check_matrix(c, op, 0) && check_matrix(c, op, 1);
    CHECK((a.elem == IR_F16 || a.elem == IR_BF16) &&
              ir_type_equal(a, ir_tile((enum ir_elem)a.elem, 2, left)),
          "operand 0 is no fragment of 16 x 16 halves or bfloats");
    CHECK(op->operands[0]->op && op->operands[0]->op->parent == op->parent,
          "operand 0 is a fragment that is not made beside the product");
    const struct ir_matrix *none = &op->attributes.matrices[0];
    CHECK(!none->columns && none->row == 0 && none->panel == 0, "a fragment has no panels");
    return check_matrix(c, op, 1);
}

static bool check_warpgroup_wait(struct checker *c, const struct ir_op *op)
{
    CHECK(op->attributes.number >= 0 && op->operand_count == op->result_count &&
              (op->attributes.number == 0 || op->result_count == 0),
          "%d results", op->result_count);
    for (int i = 0; i < op->result_count; i++)
        CHECK(fragment_elements(type_of(op, i)) &&
                  ir_type_equal(op->results[i]->type, type_of(op, i)),
              "operand %d is no fragment like the result", i);
    return true;
}

static bool check_barrier(struct checker *c, const struct ir_op *op)
{
    CHECK((unsigned)op->attributes.scope < IR_SCOPE_COUNT && op->result_count == 0,
          "a wrong scope, or a result");
    return true;
}

static bool check_shuffle(struct checker *c, const struct ir_op *op)
{
    CHECK(is_i64(type_of(op, 1)), "the lane is no i64");
    return check_lane_value(c, op) && check_result(c, op, type_of(op, 0));
}

static bool check_shuffle_by_number(struct checker *c, const struct ir_op *op)
{
    CHECK(op->attributes.number >= 1 && op->attributes.number < GPU_LANES, "%lld lanes away",
          (long long)op->attributes.number);
    return check_lane_value(c, op);
}

/* That the operand is what it says: src/gpu/normal.c, element.c. */
static bool check_normal(struct checker *c, const struct ir_op *op)
{
    CHECK(op->results[0]->type.elem == IR_F32, "of %s", ir_elems[op->results[0]->type.elem].name);
    return true;
}

static bool check_copies(struct checker *c, const struct ir_op *op)
{
    CHECK(op->result_count == 0 && op->attributes.number >= 0, "a result, or less than none");
    return true;
}

/* Of these the rest is where they stand: verify_team.c, verify_cluster.c. */
static bool check_no_result(struct checker *c, const struct ir_op *op)
{
    CHECK(op->result_count == 0, "%d results", op->result_count);
    return true;
}

#define RULE(op, rule) [GPU_OP_##op - IR_OP_COUNT] = rule
static bool (*const rules[])(struct checker *c, const struct ir_op *op) = {
    RULE(THREAD_INDEX, check_number),
    RULE(LANE_INDEX, check_number),
    RULE(GROUP_INDEX, check_number),
    RULE(SHARED, check_shared),
    RULE(BARRIER, check_barrier),
    RULE(SHUFFLE, check_shuffle),
    RULE(SHUFFLE_XOR, check_shuffle_by_number),
    RULE(SHUFFLE_UP, check_shuffle_by_number),
    RULE(GROUP_SUM, check_group_op),
    RULE(GROUP_PROD, check_group_op),
    RULE(GROUP_MAX, check_group_op),
    RULE(GROUP_MIN, check_group_op),
    RULE(GROUP_AND, check_group_op),
    RULE(GROUP_OR, check_group_op),
    RULE(EXP2_NORMAL, check_normal),
    RULE(EXP2_FLUSHED, check_normal),
    RULE(RSQRT_NORMAL, check_normal),
    RULE(EXTRACT, check_extract),
    RULE(PACK, check_pack),
    RULE(OUTER_FMA, check_outer),
    RULE(VECTOR_LOAD, check_vector_access),
    RULE(VECTOR_STORE, check_vector_access),
    RULE(COPY_ASYNC, check_copy),
    RULE(FETCH, check_fetch),
    RULE(COPIES_COMMIT, check_copies),
    RULE(COPIES_WAIT, check_copies),
    RULE(COPIES_PUBLISH, check_no_result),
    RULE(RARE, check_no_result),
    RULE(WARPGROUP_BEGIN, check_no_result),
    RULE(WARPGROUP_MMA, check_warpgroup_mma),
    RULE(WARPGROUP_COMMIT, check_no_result),
    RULE(WARPGROUP_WAIT, check_warpgroup_wait),
    RULE(FRAGMENT_LOAD, check_fragment_op),
    RULE(FRAGMENT_LOAD_PAIR, check_fragment_op),
    RULE(FRAGMENT_STORE, check_fragment_op),
    RULE(FRAGMENT_FILL, check_fragment_op),
    RULE(FRAGMENT_PACK, check_fragment_op),
    RULE(FRAGMENT_ELEMENTS, check_fragment_op),
    RULE(FRAGMENT_MMA, check_fragment_op),
    RULE(CLUSTER_EXPECT, check_no_result),
    RULE(CLUSTER_ARRIVE, check_no_result),
    RULE(CLUSTER_JOIN, check_no_result),
    RULE(CLUSTER_PUT, check_no_result),
    RULE(CLUSTER_WAIT, check_no_result),
};
#undef RULE
_Static_assert(sizeof rules / sizeof *rules == GPU_OP_END - IR_OP_COUNT, "every GPU op has a rule");

static bool check_gpu_op(struct checker *c, const struct ir_op *op)
{
    CHECK(op->region_count == 0, "has a region");
    int number = (int)op->code - (int)IR_OP_COUNT;
    CHECK(rules[number], "has no rule in the verifier");
    return rules[number](c, op);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* Whether threads may part at the op: they see different conditions or bounds. */
static bool parts_threads(const struct ir_op *op)
{
    if (op->code == IR_OP_WHILE)
        return op->regions[0]->last->operands[0]->mark;
    int count = op->code == IR_OP_FOR ? 3 : 1;
    for (int i = 0; i < count; i++) {
        if (op->operands[i]->mark)
            return true;
    }
    return false;
}

static bool check_op(struct checker *c, const struct ir_op *op)
{
    CHECK(c->divergent == 0 || !gpu_is_collective(op), "stands where threads may have parted");
    if (!check_values(c, op))
        return false;
    return (int)op->code >= (int)IR_OP_COUNT ? check_gpu_op(c, op) : check_shared_op(c, op);
}

static void check_region(struct checker *c, const struct ir_region *region)
{
    for (const struct ir_op *op = region->first; op; op = op->next) {
        bool fine = check_op(c, op);
        bool parts = fine && op->region_count > 0 && parts_threads(op);
        c->divergent += parts;
        for (int i = 0; i < op->region_count; i++)
            check_region(c, op->regions[i]);
        c->divergent -= parts;
    }
}

bool gpu_verify(const struct ir_func *func, struct diagnostics *diagnostics)
{
    struct checker c = {.diagnostics = diagnostics, .fine = true};
    if (!ir_verify_level(func, IR_LEVEL_GPU, diagnostics))
        return false;
    if (func->result_count > 0) {
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, func->range,
                        "function '%s': GPU IR has no results", func->name);
        return false;
    }
    gpu_mark_divergent(func);
    check_region(&c, func->body);
    return c.fine && gpu_verify_cluster(func, diagnostics) && gpu_verify_teams(func, diagnostics);
}

struct ir_func *gpu_read(struct arena *arena, struct diagnostics *diagnostics,
                         const struct source_file *file)
{
    struct ir_func *func = ir_read_level(arena, diagnostics, file, IR_LEVEL_GPU);
    return func && gpu_verify(func, diagnostics) ? func : NULL;
}
