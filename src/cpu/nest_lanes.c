/*
 * How many lanes a nest's vectors have, and how many copies of its body stand behind each other in
 * the interior: the widest elements fill a register, unless shorter ones are stored or the body
 * waits for itself; a body that computes little is copied, to share the loop and to store whole
 * cache lines.
 */
#include "cpu/nest.h"

#include "cpu/along.h"
#include "cpu/reduce.h"
#include "cpu/squares.h"
#include "cpu/survey.h"

enum { MOST_FOR_TWO = 16 };  /* cost of a body that is copied once */
enum { MOST_FOR_LINE = 48 }; /* cost of a body that is copied to store whole cache lines */

/* A nest that computes in float only to store shorter elements: two registers of the one make one
 * of 16 bits, and a whole cache line is stored at once; AVX2 packs two to store 16 bytes. Not four:
 * rows that are shorter than a vector are masked, and masked bytes are stored one by one there. */
static bool stores_shorter(struct cpu_emit *e, const struct cpu_nest *n, int widest)
{
    int bytes = 0;
    int64_t step;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind != CPU_SINK_STORE)
            return false;
        int size = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
        if (size == 1 && (sink->op->code != IR_OP_STORE ||
                          !cpu_may_step_along(e, sink->op->operands[0], &step) || step != 1))
            return false; /* channels, which shuffles put together */
        if (bytes != 0 && size != bytes)
            return false;
        bytes = size;
    }
    bool packs = cpu_rounds_by_bits(&e->level->features);
    return widest == 4 && (bytes == 2 || (bytes == 1 && packs));
}

/* Where a vector is shorter than a cache line: as many copies as store a whole one, whose parts
 * then leave together, and for which one fetch ahead is enough. */
static int copies_of_line(struct cpu_emit *e, const struct cpu_nest *n)
{
    int copies = 1;
    if (!cpu_rounds_by_bits(&e->level->features))
        return 1;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        if (sink->kind != CPU_SINK_STORE || n->lanes == 1)
            continue;
        int bytes = (int)ir_elem_bytes((enum ir_elem)sink->op->operands[0]->type.elem);
        while (copies < CPU_MOST_COPIES && copies * n->lanes * bytes < 64)
            copies *= 2;
    }
    return copies;
}

/* AVX2 has 16 registers: half of them for partial results, or else those go through memory, which
 * is slower than the few additions that wait for each other. */
static bool partials_fit(struct cpu_emit *e, const struct cpu_nest *n)
{
    enum { MOST_REGISTERS = 8 };
    int registers = 0;
    if (!cpu_rounds_by_bits(&e->level->features))
        return true;
    for (size_t i = 0; i < n->group->sinks.count; i++) {
        const struct cpu_sink *sink = &n->group->sinks.items[i];
        int bits = sink->kind == CPU_SINK_REDUCE
                       ? (int)ir_elems[sink->op->operands[0]->type.elem].bits
                       : 0;
        if (bits && cpu_squares_wanted(e, n->group, sink->op))
            bits *= 2;
        if (bits && cpu_reduction_counted(e, sink->op))
            continue;
        if (bits && cpu_reduction_adds_bytes(e, sink->op, n->lanes))
            bits /= 4;
        registers += (bits * n->lanes + e->level->vector_bits - 1) / e->level->vector_bits;
    }
    return registers * n->copies * e->together <= MOST_REGISTERS;
}

/* A large body that is one chain, such as the rounds of a random generator: a processor looks ahead
 * not far enough to find the next vector's, so that it mostly waits. Two registers of each value
 * are two chains beside each other: dropout on Zen 3 takes 0.6 times as long. */
static bool waits_for_itself(const struct cpu_survey *survey)
{
    return survey->cost > MOST_FOR_LINE && 2 * survey->longest > survey->cost &&
           survey->only_writes && !survey->approximate;
}

/* In cache a second copy of a dear body only takes registers: silu of float ran in 71 us with one
 * copy, in 82 with two on Zen 3, softmax alike, gelu in 63.9 and 63.5; but RMSNorm of bfloat, of
 * which a body is two registers of less work, 20% faster with two in rows of 100. */
void cpu_nest_choose_lanes(struct cpu_emit *e, struct cpu_nest *n)
{
    struct cpu_survey survey = cpu_survey_group(e, n->group);
    int widest = survey.widest ? survey.widest : 4, native = e->level->vector_bits / 8;
    n->lanes = native / widest;
    n->lanes = n->lanes > 64 ? 64 : n->lanes;
    if (e->level->features.avx2 &&
        (stores_shorter(e, n, widest) || (widest == 4 && cpu_in_pairs(e, n->group, NULL, 0)))) {
        n->lanes *= 2;
        survey.cost *= 2;
    }
    if (waits_for_itself(&survey) && n->lanes <= 32)
        n->lanes *= 2;
    while (n->lanes > 1 && n->lanes / 2 >= n->size)
        n->lanes /= 2;
    int bytes = n->lanes * widest < native ? n->lanes * widest : native;
    if (n->lanes > 1 && bytes > e->vector_bytes)
        e->vector_bytes = bytes;
    n->dear = widest == 4 && survey.cost > MOST_FOR_TWO * (n->lanes * widest / native);
    n->light = survey.cost <= 8;
    n->patterns = survey.patterns;
    n->copies = survey.cost <= 8 ? CPU_MOST_COPIES : survey.cost <= MOST_FOR_TWO ? 2 : 1;
    if (n->copies == 1 && survey.cost <= MOST_FOR_LINE && (e->streaming || !n->dear))
        n->copies = copies_of_line(e, n);
    while (n->copies > 1 && (n->copies * n->lanes > n->size || !partials_fit(e, n)))
        n->copies /= 2;
}

void cpu_nest_take_longer(struct cpu_emit *e, struct cpu_nest *n, struct cpu_group *other)
{
    int lanes = cpu_group_lanes(e, other);
    if (lanes <= n->lanes)
        return;
    struct cpu_nest stores = {.group = other, .lanes = lanes};
    n->lanes = lanes;
    n->copies = copies_of_line(e, &stores);
    while (n->copies > 1 && n->copies * n->lanes > n->size)
        n->copies /= 2;
}

void cpu_nest_choose_axes(struct cpu_nest *n)
{
    struct ir_type shape = n->group->shape;
    n->axis = -1;
    n->size = 1;
    for (int k = 0; k < shape.rank; k++) {
        if (shape.dims[k] > 1) {
            n->axis = k;
            n->size = shape.dims[k];
        }
    }
}

int cpu_group_lanes(struct cpu_emit *e, struct cpu_group *group)
{
    struct cpu_nest n = {.group = group};
    cpu_nest_choose_axes(&n);
    cpu_nest_choose_lanes(e, &n);
    return n.lanes;
}
