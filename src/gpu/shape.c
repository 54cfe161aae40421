/*
 * Threads and the width of their accesses, for targets whose vectors must be aligned.
 *
 * Where all rows are proved to be aligned, each thread accesses vectors of 16 bytes; where one is
 * not, single elements, which neighbouring threads then take side by side. The target's table says
 * how many such accesses a thread makes of a tile of so many elements: few where there is little to
 * do, so that many threads share the latency, more where partial results and barriers cost more.
 *
 * Small tiles that are reduced are bound by latency: what counts is that a thread's loads are under
 * way before its sums begin, and then how many groups meet. Of vectors two groups of 16 elements a
 * thread were the fastest for rows of 1024, of single elements four groups of eight, or eight of
 * four where masks are not known (gpu/bound.h): if NVIDIA's compiler is told that it need not save
 * registers, which it does by loading later. Tiles that are transposed gain by that, too. Where
 * multiprocessors have two programs and more, what the groups cost counts as well: of single halves
 * two groups of sixteen took 0.88 to 1.01 of four of eight in rows of 777 and 1009, from 256 rows
 * on, but up to 1.09 in fewer rows; floats gained nothing.
 *
 * Longer rows are bound by memory, which is fastest with a certain number of bytes on the way: with
 * few it idles, with many it is slower by 1 to 4%, as a plain copy is that has more accesses in
 * each thread. Where threads alone would let a multiprocessor run more programs than that, their
 * barriers get a number so high that it has barriers for so many programs only.
 *
 * Launches of many such programs gain 1 to 2% by blocks of two (gpu/share_block.c), which a
 * multiprocessor starts and reads from together, where it can do with fewer at once: rows of 8 KB
 * whose threads meet once only, with all loads of a thread under way from the start, and rows of 16
 * KB, of which no functions are computed. Others lose up to 7%, as do launches of few programs.
 */
#include "gpu/shape.h"
#include "base/bits.h"
#include "gpu/assign.h"
#include "plan/squares.h"

struct shaper {
    const struct gpu_plan *plan;
    const struct gpu_promises *promises;
    int64_t elements; /* of the largest tile */
    int64_t accessed; /* of the largest tile that is accessed along rows */
    int64_t bytes;    /* of it */
    int wide, narrow; /* log2 of the elements of an access: greatest; of one that is not proved */
    bool is_narrow;
    bool reduces, turns, branches, stores;
    bool functions; /* such as exp, of elements */
    int reductions;
    bool squares;  /* of distances from a mean (gpu/squares.c) */
    bool compares; /* with what only the launch knows */
    uint64_t because;
};

enum { SCALARS = 4 };         /* that stand in for a vector where accesses are single */
enum { LEAST_ELEMENTS = 8 };  /* of a thread: fewer cost more in further threads than they save */
enum { LEAST_REDUCED = 16 };  /* likewise, in vectors, of a small tile that is reduced */
/* Likewise, one by one, of two bytes each, where there are many programs; from so many elements on
 */
enum { LEAST_NARROW = 16, MANY_NARROW = 1024 };
/* Bytes that a launch reads, from which on it pays to fetch ahead: what is read and written must be
 * much more than the second-level cache holds. Of 32 and 64 MB launches took 1 to 4% longer. */
enum { LEAST_FETCHED = 96 << 20, LEAST_ROW = 2048 };
enum { LEAST_RELEASING = 256 };               /* threads of a block */
enum { LONG_ROW = 16384, PAIR_ACCESSES = 4 }; /* bytes; of a thread of a row in a block of two */

static int log2_floor(int64_t n)
{
    return bits_width(n) - 1;
}

static int axis_of_rows(const struct ir_value *offsets)
{
    int64_t stride;
    for (int axis = offsets->type.rank - 1; axis >= 0; axis--) {
        if (offsets->type.dims[axis] > 1 && gpu_stride_along(offsets, axis, &stride) && stride == 1)
            return axis;
    }
    return -1;
}

/* log2 of the elements, at most `most`, that an access along the axis may take at once. */
static int proved_bits(const struct gpu_promises *promises, const struct ir_value *base,
                       const struct ir_value *offsets, int axis, int most, uint64_t *because)
{
    int bytes = log2_floor((int64_t)ir_elem_bytes((enum ir_elem)base->type.elem)), bits = most;
    for (; bits > 0; bits--) {
        int axis_zeros[IR_MAX_RANK] = {0};
        axis_zeros[axis] = bits;
        struct gpu_zeros of_offsets = gpu_low_zeros(promises, offsets, axis_zeros);
        of_offsets.bits += bytes;
        struct gpu_zeros all = gpu_fewer_zeros(gpu_low_zeros(promises, base, NULL), of_offsets);
        *because = all.because;
        if (all.bits >= bits + bytes)
            break;
    }
    return bits;
}

int gpu_access_width(const struct gpu_plan *plan, const struct gpu_promises *promises,
                     const struct ir_op *op, int *axis)
{
    struct ir_value *base, *offsets;
    uint64_t because;
    int most = log2_floor(plan->vector_width);
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    *axis = offsets ? axis_of_rows(offsets) : -1;
    bool known = *axis >= 0;
    if (!known)
        *axis = op->operands[0]->type.rank - 1;
    if (plan->target->packed_vectors || plan->required_width)
        return 1 << most;
    return known ? 1 << proved_bits(promises, base, offsets, *axis, most, &because) : 1;
}

static void look_at_access(struct shaper *s, const struct ir_op *op)
{
    struct ir_value *base, *offsets;
    struct ir_type type = op->operands[0]->type;
    uint64_t because = 0;
    if (type.rank == 0)
        return;
    gpu_pointer_parts(op->operands[0], &base, &offsets);
    int axis = offsets ? axis_of_rows(offsets) : -1, count = 1 << gpu_shape_bits(type);
    if (axis < 0 || count < s->accessed)
        return;
    if (count > s->accessed) {
        s->accessed = count;
        s->bytes = count * (int64_t)ir_elem_bytes((enum ir_elem)type.elem);
        s->wide = s->narrow = 0;
        s->is_narrow = false;
        s->because = 0;
    }
    const struct gpu_target *target = s->plan->target;
    int most = target->vector_bytes / (int)ir_elem_bytes((enum ir_elem)type.elem);
    most = log2_floor(most < target->vector_elements ? most : target->vector_elements);
    most = type.elem == IR_BOOL ? 0 : most;
    int bits = proved_bits(s->promises, base, offsets, axis, most, &because);
    if (bits < most && (!s->is_narrow || bits < s->narrow))
        s->narrow = bits;
    s->is_narrow = s->is_narrow || bits < most;
    s->wide = most > s->wide ? most : s->wide;
    s->because |= bits > 0 ? because : 0;
}

static bool is_constant(const struct ir_value *value)
{
    return value->op && value->op->code == IR_OP_CONSTANT;
}

static bool look(struct ir_op *op, void *user)
{
    struct shaper *s = user;
    for (int i = 0; i < op->result_count; i++) {
        int64_t count = INT64_C(1) << gpu_shape_bits(op->results[i]->type);
        s->elements = count > s->elements ? count : s->elements;
    }
    if (op->code == IR_OP_LOAD || op->code == IR_OP_STORE)
        look_at_access(s, op);
    if (ir_is_comparison(op->code) && op->results[0]->type.rank > 0)
        s->compares =
            s->compares || (!is_constant(op->operands[0]) && !is_constant(op->operands[1]));
    s->turns = s->turns || op->code == IR_OP_TRANS;
    s->branches = s->branches || op->region_count > 0;
    s->functions = s->functions || (ir_has(op, IR_APPROX) && op->results[0]->type.rank > 0);
    s->stores = s->stores || (op->code == IR_OP_STORE && op->operands[0]->type.rank > 0);
    struct plan_squares squares;
    s->squares = s->squares || plan_find_squares(op, &squares);
    s->reductions += op->code >= IR_OP_SUM && op->code <= IR_OP_ALL;
    s->reduces = s->reduces || (op->code >= IR_OP_SUM && op->code <= IR_OP_ALL);
    return true;
}

static int accesses_each(const struct gpu_loads *row, int64_t elements)
{
    while (row->most_elements && elements > row->most_elements)
        row++;
    return row->each;
}

/* Whether the tile is reduced and so small that latency bounds it. */
static bool is_short_row(const struct shaper *s)
{
    return s->reduces && accesses_each(s->plan->target->loads, s->elements) == 1;
}

static bool knows_masks(const struct shaper *s)
{
    return !s->compares || s->plan->bound.known;
}

/* Whether fewer threads are better where there are many programs. */
static bool minds_programs(const struct shaper *s, int width)
{
    return is_short_row(s) && width == 1 && knows_masks(s) && s->bytes == 2 * s->accessed &&
           s->elements >= MANY_NARROW;
}

/* Rows of 16 KB of floats, of which no functions are computed. */
static bool is_long_row_of_floats(const struct shaper *s, const struct gpu_plan *shaped)
{
    return s->plan->target->row_bytes > 0 && s->reduces && s->stores && !s->branches &&
           !s->functions && s->bytes == LONG_ROW && s->bytes == 4 * s->elements && !s->is_narrow &&
           shaped->threads == 512;
}

/* Where threads meet once, such rows wait for their weights behind the barrier, where NVIDIA's
 * compiler moves loads of what is only read to save registers, of which there are enough: 7% of a
 * launch of some hundred rows. */
static bool loads_too_late(const struct shaper *s, const struct gpu_plan *shaped)
{
    return is_long_row_of_floats(s, shaped) && s->reductions == 1;
}

/* Else their code for launches that overlap may have a few registers more than let a multiprocessor
 * run as many programs as in turn, which are four: with 43 it runs two of LayerNorm, and 16384 rows
 * took 156 us; with three 134, with four 130. */
static bool loses_programs(const struct shaper *s, const struct gpu_plan *shaped)
{
    return is_long_row_of_floats(s, shaped) && s->reductions > 1 && s->plan->overlaps;
}

/* Whether the kernel is one for which blocks of two programs were measured to be faster, if there
 * are many. */
static bool gains_by_pairs(const struct shaper *s, const struct gpu_plan *shaped)
{
    const struct gpu_target *target = s->plan->target;
    bool rows = target->part_barriers && target->row_bytes > 0 && s->reduces && s->stores &&
                !s->branches && !s->functions;
    bool halves = s->bytes == 2 * s->elements && !s->is_narrow && s->accessed == s->elements;
    if (!rows || !halves || s->plan->open_threads == 0 || s->plan->required_programs ||
        shaped->vector_width * 2 != target->vector_bytes)
        return false;
    return s->bytes == LONG_ROW || (s->bytes == LONG_ROW / 2 && s->reductions == 1);
}

/* Letting the next launch start costs each block 1.3 ns of the whole device's time, which a launch
 * of small blocks has not: 16384 x 1024 halves took 21 us in blocks of 64 threads instead of 17 to
 * 20. At their end all blocks do that anyway, so that only the last ones need. */
static bool releases_too_often(const struct shaper *s, const struct gpu_plan *shaped)
{
    return s->plan->overlaps && s->plan->target->row_bytes > 0 &&
           shaped->threads * shaped->programs < LEAST_RELEASING;
}

/* Rows whose threads meet once for squares, with all loads before, have more registers: where there
 * are many, too few are on the way. Half 16384 x 1024 and x 2048 took 2% and 5% more, float 4096 x
 * 2001 9%; float rows of vectors took 1 to 3% less. */
static bool loses_in_crowds(const struct shaper *s)
{
    bool wide_floats = s->bytes > 2 * s->accessed && !s->is_narrow;
    return s->squares && is_short_row(s) && !wide_floats && s->plan->target->row_bytes > 0;
}

/* Whether the program's threads meet between what they load and store, so that it pays to fetch
 * ahead (gpu/fetch_ahead.c). Not where elements are read one by one, which takes as many fetches;
 * nor where two programs of a block have no register left: LayerNorm of half rows of 16 KB spilled
 * one and took 3% longer. */
static bool fetches_ahead(const struct shaper *s, bool pairs)
{
    bool full = pairs && s->bytes == LONG_ROW && s->reductions > 1;
    return s->plan->target->fetch_bytes > 0 && (s->reduces || s->turns) && s->stores && !full &&
           !s->branches && !s->is_narrow && !s->plan->required_fetch && s->bytes >= LEAST_ROW;
}

/* Addresses of what is fetched take registers: so many, held to which a multiprocessor runs as many
 * programs as without; 0: it does anyway. */
static int registers_of_fetches(const struct shaper *s, const struct gpu_plan *shaped)
{
    bool halves = s->bytes == 2 * s->elements && !s->functions;
    if ((s->turns && shaped->threads == 512) || (halves && s->bytes == LONG_ROW))
        return 64;
    return halves && s->bytes == LONG_ROW / 2 && shaped->programs == 1 ? 40 : 0;
}

/* accesses: of each thread, where it is known */
static int choose_threads(const struct shaper *s, int width, int accesses)
{
    int64_t each = accesses_each(s->plan->target->loads, s->elements), least = LEAST_ELEMENTS;
    each = accesses ? accesses : each;
    each *= width > 1 ? width : SCALARS;
    if (minds_programs(s, width) && s->plan->many_programs)
        least = LEAST_NARROW;
    else if (is_short_row(s))
        least = width > 1 ? LEAST_REDUCED : knows_masks(s) ? LEAST_ELEMENTS : SCALARS;
    int64_t threads = s->elements / (each > least ? each : least);
    if (threads < GPU_LANES)
        return GPU_LANES;
    return threads < s->plan->target->most_threads ? (int)threads : s->plan->target->most_threads;
}

/* 0: as many as there is room for. Fewer than `least` cannot be had. */
static int most_resident(const struct shaper *s, const struct gpu_plan *shaped)
{
    const struct gpu_target *target = s->plan->target;
    if (!s->reduces || is_short_row(s) || shaped->threads <= GPU_LANES || target->row_bytes == 0)
        return 0;
    int least = target->resident_barriers / target->program_barriers;
    int fitting = target->resident_threads / shaped->threads;
    int wanted = (int)(target->row_bytes / s->bytes);
    int programs = wanted > least ? wanted : least;
    if (programs >= fitting || programs > target->resident_barriers)
        return 0;
    int barriers = target->resident_barriers / programs; /* of each program */
    programs = target->resident_barriers / barriers;
    return programs < fitting ? programs : 0;
}

static void shape_vectors(const struct shaper *s, struct gpu_plan *shaped, struct arena *arena,
                          uint64_t *aligned_used)
{
    shaped->vector_width = 1 << (s->is_narrow ? s->narrow : s->wide);
    if (shaped->vector_width > 1)
        *aligned_used |= s->because;
    shaped->reasons[shaped->reason_count++] = arena_format(
        arena, "vectors of %d: %s", shaped->vector_width,
        s->is_narrow ? "not all rows are known to be aligned, which a launch or --aligned may say"
                     : "rows are aligned");
}

static void shape_threads(struct shaper *s, struct gpu_plan *shaped, struct arena *arena,
                          bool pairs)
{
    shaped->threads = choose_threads(s, shaped->vector_width, pairs ? PAIR_ACCESSES : 0);
    shaped->minds_programs = minds_programs(s, shaped->vector_width);
    shaped->groups = shaped->threads / GPU_LANES;
    int64_t each = s->elements > shaped->threads ? s->elements / shaped->threads : 1;
    shaped->reasons[s->plan->open_threads - 1] =
        arena_format(arena, "%d threads: %lld of %lld elements each", shaped->threads,
                     (long long)each, (long long)s->elements);
}

static void shape_fetches(const struct shaper *s, struct gpu_plan *shaped, struct arena *arena)
{
    const struct gpu_plan *plan = s->plan;
    shaped->long_launch = (int)((LEAST_FETCHED + s->bytes - 1) / s->bytes);
    shaped->fetch_bytes = plan->is_long ? plan->target->fetch_bytes : 0;
    shaped->reasons[shaped->reason_count++] =
        arena_format(arena,
                     plan->is_long ? "memory is fetched %d KB ahead: there are %d programs or more"
                                   : "memory is fetched %d KB ahead in launches of %d programs",
                     plan->target->fetch_bytes >> 10, shaped->long_launch);
}

const struct gpu_plan *gpu_shape(const struct gpu_plan *plan, const struct ir_func *func,
                                 const struct gpu_promises *promises, uint64_t *aligned_used)
{
    struct shaper s = {.plan = plan, .promises = promises};
    struct arena *arena = func->arena;
    if (!plan->target->loads || plan->backend != GPU_BACKEND_ELEMENTWISE)
        return plan;
    ir_walk(func->body, look, &s);
    if (s.accessed == 0)
        return plan;
    struct gpu_plan *shaped = gpu_plan_copy(plan, arena);
    if (!plan->required_width)
        shape_vectors(&s, shaped, arena, aligned_used);
    shaped->resident = s.turns || is_short_row(&s) ? 1 : 0;
    bool may_pair = gains_by_pairs(&s, shaped), pairs = may_pair && plan->crowd;
    shaped->minds_crowd = may_pair || loses_in_crowds(&s);
    shaped->meets_twice = plan->crowd && loses_in_crowds(&s);
    if (pairs)
        gpu_plan_share_block(shaped, 2, arena);
    if (plan->open_threads > 0)
        shape_threads(&s, shaped, arena, pairs);
    bool releases = releases_too_often(&s, shaped);
    shaped->minds_crowd = shaped->minds_crowd || releases;
    shaped->late_release = plan->crowd && releases;
    if (fetches_ahead(&s, may_pair))
        shape_fetches(&s, shaped, arena);
    shaped->plain_loads = loads_too_late(&s, shaped);
    int registers = shaped->plain_loads ? 40 : loses_programs(&s, shaped) ? 32 : 0;
    if (shaped->fetch_bytes > 0 && registers == 0)
        registers = registers_of_fetches(&s, shaped);
    if (registers > 0)
        shaped->resident = s.plan->target->resident_registers / (registers * shaped->threads);
    if (may_pair)
        shaped->reasons[shaped->reason_count++] =
            arena_format(arena,
                         pairs ? "2 programs in a block: there are %d or more"
                               : "launches of %d programs have 2 in a block",
                         GPU_CROWD);
    shaped->most_resident = shaped->programs > 1 ? 0 : most_resident(&s, shaped);
    if (shaped->most_resident > 0)
        shaped->reasons[shaped->reason_count++] = arena_format(
            arena, "at most %d programs on a multiprocessor: they read %lld bytes at once",
            shaped->most_resident, (long long)(shaped->most_resident * s.bytes));
    return shaped;
}
