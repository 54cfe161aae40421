/*
 * Traffic with main memory, in the variant for launches whose output does not fit in a cache.
 *
 * Stores go past the caches: the interior of a nest has copies with non-temporal stores
 * (nest_past.c). Loads: what the next program will read is fetched into a cache while this one
 * computes. Its distance is the derivative of the address by program_id(0), where that is the same
 * for all programs.
 * Measured on rows of 16 KB: plain 1.0, only one of the two 1.2, both 2.0.
 */
#include "cpu/schedule.h"
#include "cpu/squares.h"

#include <llvm-c/Target.h>
#include <string.h>

/* ---- where to, and how far ahead --------------------------------------------------------------
 *
 * Into the second-level cache, the next program's lines; or where the level says so (features.h)
 * near: into the first, past the second, and at least 16 KB ahead. The shares of a copy's speed,
 * rows of 4096, two threads | one:
 *
 *                                              Zen 5                    Xeon
 *                                   RMSNorm half  LayerNorm bf   RMSNorm bf
 *     second level, two together    0.74 | 0.59   0.76 | 0.55    0.88 | 0.96
 *     one row at a time             0.83 | 0.66   0.78 | 0.60    0.87 | 0.98
 *     the same to the first level   0.86 | 0.68   0.79 | 0.61    0.50 | 0.62
 *     and two rows ahead            0.88 | 0.75   0.85 | 0.65    0.34 | 0.47
 *
 * The Xeon (48 KB too, where hand-written prototypes ran) loses most lines on that way.
 * Farther ahead loses: 32 KB for LayerNorm of float on Zen 5 0.81 | 0.67, 16 KB 0.83 | 0.71.
 *
 * The dearest nest fetches, as it has the most time, but while the others run, memory idles. On
 * Zen 3 the one before it fetches half of the lines already, at half the speed, unless it is light
 * beside the dearest (softmax of float lost 8% by a fetching pass for the maximum). Of the copy,
 * with the pages below fetched, one row at a time:
 *
 *                     RMSNorm: float        half         bfloat       LayerNorm: float
 *     one nest         0.88 | 0.88   0.98 | 1.01   0.90 | 0.96   0.82 | 0.78
 *     two nests        0.93 | 0.97   1.13 | 1.15   1.01 | 0.95   0.85 | 0.85
 *
 * and LayerNorm of half 0.75 to 0.84 | 0.76 to 0.90, of bfloat 0.79 to 0.81 | 0.83 to 0.85.
 *
 * On Zen 4 the same where a line becomes more than one vector of floats, that is, in 16 bits, and
 * without the pauses below in the nest that fetches half; two rows side by side, as weights are
 * widened for both. Of the copy, each against the nests as they were, in one process (columns: side
 * by side or not, pages below fetched or not, from two nests or one; memory of two kinds of hours):
 *
 *                     beside, plain   beside, pages   beside, pages, two   alone, pages
 *     RMSNorm half     0.81 | 0.84     0.80 | 0.87        0.84 | 0.92       0.87 | 0.89
 *             bfloat   0.94 | 0.81     0.91 | 0.88        0.94 | 0.97       0.95 | 0.89
 *     LayerNorm half   0.85 | 0.63     0.85 | 0.63        0.86 | 0.69       0.82 | 0.61
 *             bfloat   0.93 | 0.72     0.92 | 0.76        0.93 | 0.80       1.00 | 0.72
 *     RMSNorm float    0.84 | 0.73     0.90 | 0.83        0.89 | 0.79
 *     LayerNorm float  0.77 | 0.76     0.79 | 0.77        0.77 | 0.71
 *
 * Zen 1 goes by Zen 4's way, with stores past the caches in nests of their own (below). With two
 * threads float's norms gained 6 to 8% by it, bfloat's 3 to 8%, softmax 0 to 4%; one row at a time,
 * Zen 3's way, halves lost 6 to 12% and the others gained as much.
 */

enum { NEAR_AHEAD = 16 << 10, NEAR_DOUBLINGS = 2, LEAD_AHEAD = 6 << 10 };

bool cpu_stream_alone(const struct cpu_emit *e)
{
    return e->level->fetching == CPU_FETCH_NEAR || e->level->fetching == CPU_FETCH_EARLY;
}

bool cpu_stream_is_known(const struct cpu_emit *e)
{
    return e->level->fetching != CPU_FETCH_PLAIN;
}

/* On Zen 1 a store past the caches right before or behind another costs some 45 cycles: the one
 * closes what the other has begun to gather. Softmax of float in one nest with the stores of the
 * row before took 58 cycles for 8 elements with a store past the caches for each 8, 35 for each 16
 * and 26 for each 32, where nests apart take 20. */
bool cpu_stream_joins(const struct cpu_emit *e)
{
    return cpu_stream_is_known(e) && e->level->fetching != CPU_FETCH_APART;
}

bool cpu_stream_leads(const struct cpu_emit *e)
{
    return e->level->fetching == CPU_FETCH_NEAR;
}

/* ---- the derivative of a value by program_id(0) --------------------------------------------- */

enum { MOST_STEPS = 200 }; /* ops looked at for one address */

struct derivation {
    struct cpu_emit *e;
    int left;
};

/* The derivative as a scalar, NULL for zero; false when there is no constant one. */
static bool derive(struct derivation *d, const struct ir_value *v, LLVMValueRef *step);

static bool derive_argument(struct derivation *d, const struct ir_value *v, LLVMValueRef *step)
{
    *step = NULL;
    const struct ir_op *loop = v->region->parent;
    if (!loop)
        return true; /* a parameter */
    LLVMValueRef from = NULL, by = NULL;
    return loop->code == IR_OP_FOR && v->index == 0 && derive(d, loop->operands[0], &from) &&
           derive(d, loop->operands[2], &by) && !from && !by;
}

static bool derive_product(struct derivation *d, const struct ir_op *op, LLVMValueRef a,
                           LLVMValueRef b, LLVMValueRef *step)
{
    struct cpu_emit *e = d->e;
    *step = NULL;
    if (!a && !b)
        return true;
    const struct ir_value *factor = op->operands[a ? 1 : 0];
    if ((a && b) || !cpu_is_uniform(e, factor) || factor->type.elem != IR_I64)
        return false;
    struct cpu_linear linear = cpu_linear_of(e, factor);
    *step = cpu_mul(e, a ? a : b, linear.base ? linear.base : cpu_i64(e, 0));
    return true;
}

static bool derive_op(struct derivation *d, const struct ir_op *op, LLVMValueRef *step)
{
    struct cpu_emit *e = d->e;
    LLVMValueRef in[3] = {NULL, NULL, NULL};
    *step = NULL;
    if (op->code == IR_OP_PROGRAM_ID && op->attributes.axis == 0)
        *step = cpu_i64(e, 1);
    if (op->operand_count == 0)
        return true;
    if (op->operand_count > 3 || op->region_count > 0)
        return false;
    for (int i = 0; i < op->operand_count; i++) {
        if (!derive(d, op->operands[i], &in[i]))
            return false;
    }
    switch (op->code) {
    case IR_OP_ADD:
    case IR_OP_ADDPTR:
        *step = cpu_add(e, in[0], in[1]);
        return true;
    case IR_OP_SUB:
        *step = cpu_add(e, in[0], in[1] ? LLVMBuildNeg(e->builder, in[1], "") : NULL);
        return true;
    case IR_OP_MUL:
        return derive_product(d, op, in[0], in[1], step);
    case IR_OP_BROADCAST:
    case IR_OP_RESHAPE:
    case IR_OP_TRANS:
        *step = in[0];
        return true;
    default:
        return !in[0] && !in[1] && !in[2];
    }
}

static bool derive(struct derivation *d, const struct ir_value *v, LLVMValueRef *step)
{
    *step = NULL;
    if (d->left-- <= 0)
        return false;
    return v->op ? derive_op(d, v->op, step) : derive_argument(d, v, step);
}

/* ---- which loads fetch ahead ---------------------------------------------------------------- */

struct cpu_ahead {
    struct ir_op *load; /* that of what is fetched; NULL: nothing */
    const struct cpu_group *group, *early; /* whose nests fetch all lines, and some before */
};

struct choice {
    struct cpu_emit *e;
    struct cpu_ahead *ahead; /* per parameter */
};

/* A row is often read several times: its last unmasked load fetches ahead. */
static bool choose_load(struct ir_op *op, void *user)
{
    struct choice *c = user;
    if (op->code != IR_OP_LOAD || op->operands[0]->type.rank == 0)
        return true;
    const struct ir_value *root = ir_pointer_root(op->operands[0]);
    if (!root || !cpu_affine_of(c->e, op->operands[0])->known)
        return true;
    const struct ir_op *old = c->ahead[root->index].load;
    if (!old || op->operand_count == 1 || old->operand_count > 1)
        c->ahead[root->index].load = op;
    return true;
}

/* False for a loop or a collective, which may make one nest read again what another has read. */
static bool is_read_once(struct ir_op *op, void *user)
{
    (void)user;
    return op->region_count == 0 && (op->code < IR_OP_SUM || op->code > IR_OP_DOT);
}

void cpu_stream_begin(struct cpu_emit *e)
{
    e->read = ir_reads(e->arena, e->func);
    e->reads_once = ir_walk(e->func->body, is_read_once, NULL);
    e->ahead = NULL;
    if (!e->streaming)
        return;
    e->ahead = ARENA_ARRAY(e->arena, struct cpu_ahead, (size_t)e->func->parameter_count + 1);
    struct choice choice = {e, e->ahead};
    ir_walk(e->func->body, choose_load, &choice);
}

static bool group_loads(const struct cpu_group *group, const struct ir_op *op)
{
    for (size_t i = 0; i < group->accesses.count; i++) {
        if (group->accesses.items[i].op == op)
            return true;
    }
    return false;
}

/* Whether another nest than the dearest fetches too: where a line is more than one vector of what
 * is computed from it. */
static bool may_fetch_early(const struct cpu_emit *e, const struct ir_op *load)
{
    enum { LINE = 64, FLOAT_BITS = 32 };
    int bytes = (int)ir_elem_bytes((enum ir_elem)load->operands[0]->type.elem);
    bool likes = e->level->fetching == CPU_FETCH_EARLY || e->level->fetching == CPU_FETCH_DENSE ||
                 e->level->fetching == CPU_FETCH_APART;
    return likes && LINE / bytes * FLOAT_BITS > e->level->vector_bits;
}

/* Of the nests that follow a load, the dearest has the most time to fetch. */
static void choose_groups(struct cpu_emit *e, const struct cpu_schedule *s, struct cpu_ahead *ahead)
{
    enum { EARLY_PART = 4 }; /* of the dearest's cost: what another must have to fetch, too */
    const struct cpu_group *before = NULL;
    bool may_be_early = may_fetch_early(e, ahead->load);
    int most = 0, cost_before = 0;
    for (size_t k = 0; k < s->steps.count; k++) {
        const struct cpu_group *group = s->steps.items[k].group;
        if (!group || cpu_squares_skip(e, group) ||
            !ir_shape_equal(group->shape, ahead->load->operands[0]->type) ||
            !(before || group_loads(group, ahead->load)))
            continue;
        int cost = cpu_group_cost(e, group);
        if (cost > most) {
            bool early = may_be_early && cost_before >= cost / EARLY_PART;
            most = cost;
            ahead->group = group;
            ahead->early = early ? before : NULL;
        }
        before = group;
        cost_before = cost;
    }
}

void cpu_stream_choose(struct cpu_emit *e, const struct cpu_schedule *s)
{
    for (int i = 0; e->ahead && i < e->func->parameter_count; i++) {
        if (e->ahead[i].load && e->ahead[i].load->parent == s->region)
            choose_groups(e, s, &e->ahead[i]);
    }
}

/*
 * A nest that computes less than about nine cycles per cache line asks for lines faster than memory
 * gives them; then requests pile up, and on Zen 4 fetches that find no room are lost, to be paid
 * for by the next row's first pass. A chain of three multiplications (nine cycles) behind each
 * fetch, in a register that nobody reads, spaces them. RMSNorm on rows of 16 KB, one thread, a
 * plain copy taking 16.9 ms: 22.0 without the chain, 18.9 with it, 19.8 and 25.8 with chains of 12
 * and 18 cycles, 22.3 when the fetch stands behind the line's store; no-ops gain nothing. (Figures of
 * hand-written prototypes, from more than one run; make bench shows what the kernels reach.)
 */
static void pace(struct cpu_emit *e)
{
    static const char high[] = "vpmuludq %xmm31, %xmm31, %xmm31\n\t"
                               "vpmuludq %xmm31, %xmm31, %xmm31\n\t"
                               "vpmuludq %xmm31, %xmm31, %xmm31";
    static const char low[] = "vpmuludq %xmm15, %xmm15, %xmm15\n\t"
                              "vpmuludq %xmm15, %xmm15, %xmm15\n\t"
                              "vpmuludq %xmm15, %xmm15, %xmm15";
    if (e->level->features.neon)
        return;
    bool has_high = e->level->features.avx512;
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->context), NULL, 0, false);
    LLVMValueRef assembly =
        LLVMGetInlineAsm(type, has_high ? high : low, strlen(has_high ? high : low),
                         has_high ? "~{xmm31}" : "~{xmm15}", strlen("~{xmm31}"), true, false,
                         LLVMInlineAsmDialectATT, false);
    LLVMBuildCall2(e->builder, type, assembly, NULL, 0, "");
}

/* From what a program loads to what the next one does, or the second or fourth one after it. */
static LLVMValueRef far_enough(struct cpu_emit *e, LLVMValueRef distance)
{
    for (int i = 0; i < NEAR_DOUBLINGS && e->level->fetching == CPU_FETCH_NEAR; i++) {
        LLVMValueRef near =
            LLVMBuildICmp(e->builder, LLVMIntSLT, distance, cpu_i64(e, NEAR_AHEAD), "");
        distance =
            LLVMBuildShl(e->builder, distance, LLVMBuildZExt(e->builder, near, e->i64, ""), "");
    }
    return distance;
}

/* From what a program touches to what the next one outside this round does; false: not known. */
static bool next_distance(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *distance)
{
    struct derivation d = {e, MOST_STEPS};
    LLVMValueRef step;
    if (!derive(&d, op->operands[0], &step) || !step)
        return false;
    int64_t bytes = (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem);
    int round = e->behind ? 1 : e->together;
    *distance = LLVMBuildMul(e->builder, step, cpu_i64(e, bytes * round), "");
    return true;
}

/* Where the next program's tile is loaded in the same nest (lead.c): ahead of that, along rows that
 * follow each other, else by programs. */
static LLVMValueRef past_next(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef distance)
{
    struct ir_type type = op->operands[0]->type;
    int64_t tile = ir_element_count(type) * (int64_t)ir_elem_bytes((enum ir_elem)type.elem);
    LLVMValueRef positive = LLVMBuildICmp(e->builder, LLVMIntSGT, distance, cpu_i64(e, 0), "");
    LLVMValueRef dense = LLVMBuildICmp(e->builder, LLVMIntSLE, distance, cpu_i64(e, tile), "");
    LLVMValueRef more = cpu_add(e, distance, cpu_i64(e, LEAD_AHEAD));
    LLVMValueRef twice = cpu_add(e, distance, distance);
    return LLVMBuildSelect(e->builder, LLVMBuildAnd(e->builder, positive, dense, ""), more, twice,
                           "");
}

enum { TO_FIRST_LEVEL = 0, TO_SECOND_LEVEL = 2 }; /* the locality of llvm.prefetch */

static void prefetch(struct cpu_emit *e, LLVMValueRef pointer, LLVMValueRef distance, int locality)
{
    LLVMValueRef place = LLVMBuildGEP2(e->builder, e->i8, pointer, &distance, 1, "");
    LLVMValueRef operands[] = {place, LLVMConstInt(e->i32, 0, false),
                               LLVMConstInt(e->i32, (unsigned long long)locality, false),
                               LLVMConstInt(e->i32, 1, false)};
    cpu_intrinsic(e, "llvm.prefetch", 1, &e->pointer, 4, operands);
}

static void fetch(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                  bool light)
{
    int64_t bytes = (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem);
    int64_t vector = bytes * e->body.lanes;
    LLVMValueRef pointer, distance;
    if ((vector < 64 && e->body.copy * vector % 64 != 0) || !next_distance(e, op, &distance) ||
        !cpu_load_address(e, op, p, &pointer))
        return;
    cpu_takes(e, CPU_PATH_AHEAD);
    bool joined = e->behind && e->together > 1 && e->lead.count > 0;
    distance = joined ? past_next(e, op, distance) : far_enough(e, distance);
    for (int64_t line = 0; line < vector; line += 64) {
        prefetch(e, pointer, cpu_add(e, distance, cpu_i64(e, line)),
                 e->level->fetching == CPU_FETCH_NEAR ? TO_FIRST_LEVEL : TO_SECOND_LEVEL);
        if (light && vector >= 64)
            pace(e);
    }
}

/* At half the speed of the nest: its first half, each line twice. */
static void fetch_early(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *p,
                        bool light)
{
    struct cpu_position half = *p;
    cpu_takes(e, CPU_PATH_EARLY);
    half.index[p->lane] = LLVMBuildLShr(e->builder, p->index[p->lane], cpu_i64(e, 1), "");
    fetch(e, op, &half, light && e->level->fetching == CPU_FETCH_EARLY);
}

void cpu_stream_ahead(struct cpu_emit *e, const struct cpu_position *p, bool light)
{
    for (int i = 0; e->ahead && i < e->func->parameter_count; i++) {
        const struct cpu_ahead *ahead = &e->ahead[i];
        if (ahead->load && ahead->group == e->group)
            fetch(e, ahead->load, p, light);
        else if (ahead->load && ahead->early == e->group)
            fetch_early(e, ahead->load, p, light);
    }
}

/* ---- stores past the caches ----------------------------------------------------------------- */

/*
 * A store that no cache takes waits for its page's translation, and the few buffers that such
 * stores leave by fill up behind it. So one line is fetched of each page that the next program will
 * store to, for its translation's sake. On Zen 5, with pages of 4 KB, RMSNorm of bfloat, rows of
 * 4096, went from 0.73 to 0.88 of a copy's speed on one thread, 0.77 to 0.97 on two, where the
 * output's pages lay badly, and from 0.89 to 0.92 and 0.93 to 0.99 where they lay well
 * (hand-written prototypes; with pages of 2 MB it gains nothing). On Zen 3, two threads, one row at
 * a time: RMSNorm of half from 0.92 to 1.04, LayerNorm of half 0.77 to 0.83, of bfloat 0.77 to
 * 0.82, softmax of float 0.87 to 0.90; norms of float the same with and without. Zen 4 has its
 * figures above.
 */
void cpu_stream_pages(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                      int64_t bytes)
{
    enum { PAGE = 4096, MOST_PAGES = 16, LINE = 64 };
    LLVMValueRef distance;
    if (!cpu_stream_is_known(e) || op->code != IR_OP_STORE || bytes > MOST_PAGES * PAGE ||
        !next_distance(e, op, &distance))
        return;
    cpu_takes(e, CPU_PATH_PAGES);
    for (int64_t end = PAGE; end < bytes + PAGE; end += PAGE) {
        int64_t last = (end < bytes ? end : bytes) - LINE;
        prefetch(e, pointer, cpu_add(e, distance, cpu_i64(e, last)), TO_SECOND_LEVEL);
    }
}

/*
 * A store to where the same nest has just read finds its lines in the first level: nothing is saved
 * by going past it, and they must leave it. On Zen 5, one thread, 2^22 and 2^25 floats an array, in
 * ms: y = y + a x from 1.16 to 0.45 and 9.47 to 6.24, y = a y from 0.59 to 0.17 and 4.78 to 3.59,
 * Adam's update 1.99 to 1.42 and 17.0 to 16.2. A softmax in place is the other way round, 9.9 to
 * 17.3: its rows were read by another nest before, and the variant also fetches the next one.
 *
 * Vectors that are a small part of a line, or several lines, as those of one size of elements are
 * where another decides how many there are, go through the caches. The nest asks whether all others
 * begin at lines (nest_past.c), which takes an address that is known in front of it.
 */
bool cpu_stream_may(struct cpu_emit *e, const struct ir_op *op, int lanes)
{
    enum { LEAST = 16, LINE = 64 };
    const struct ir_value *root = ir_pointer_root(op->operands[0]);
    int64_t bytes = lanes * (int64_t)ir_elem_bytes((enum ir_elem)op->operands[0]->type.elem);
    bool known = op->code == IR_OP_VIEW_STORE || cpu_affine_of(e, op->operands[0])->known;
    return known && bytes >= LEAST && bytes <= LINE &&
           (!e->reads_once || !root || !e->read[root->index]);
}

/* Keeps LLVM from merging the value with its store into an instruction that ignores the hint. */
static LLVMValueRef pin(struct cpu_emit *e, LLVMValueRef v)
{
    if (e->level->features.neon)
        return v;
    LLVMTypeRef type = LLVMTypeOf(v);
    LLVMTypeRef function = LLVMFunctionType(type, &type, 1, false);
    LLVMValueRef nothing =
        LLVMGetInlineAsm(function, "", 0, "=v,0", 4, false, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(e->builder, function, nothing, &v, 1, "");
}

void cpu_stream_mark(struct cpu_emit *e, LLVMValueRef store)
{
    LLVMValueRef one = LLVMConstInt(e->i32, 1, false);
    LLVMMetadataRef items[] = {LLVMValueAsMetadata(one)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(e->context, items, 1);
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(e->context, "nontemporal", 11),
                    LLVMMetadataAsValue(e->context, node));
}

void cpu_stream_vector(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer)
{
    LLVMValueRef store = LLVMBuildStore(e->builder, value, pointer);
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(e->module);
    cpu_set_align(store, (int64_t)LLVMABISizeOfType(layout, LLVMTypeOf(value)));
    cpu_stream_mark(e, store);
}

void cpu_stream_store(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
    if (LLVMGetTypeKind(element) == LLVMHalfTypeKind)
        value = LLVMBuildBitCast(e->builder, value,
                                 cpu_vector(LLVMInt16TypeInContext(e->context), e->body.lanes), "");
    LLVMTypeRef type = LLVMTypeOf(value);
    int64_t bits = (int64_t)LLVMSizeOfTypeInBits(LLVMGetModuleDataLayout(e->module), type);
    if (bits == 16 * e->body.lanes && bits >= 128 && bits <= e->level->vector_bits)
        value = pin(e, value); /* a whole register */
    cpu_stream_vector(e, value, pointer);
}

/* Non-temporal stores are not ordered with later ones of other threads without a fence. */
void cpu_stream_end(struct cpu_emit *e)
{
    if (!e->streamed || e->level->features.neon)
        return;
    cpu_intrinsic(e, "llvm.x86.sse.sfence", 0, NULL, 0, NULL);
}
