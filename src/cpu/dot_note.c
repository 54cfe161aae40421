/*
 * Whether products of tiles (dot.c) are fast as they are, for the compiler's notes.
 *
 * What is added up in a loop could mostly have been one product (matrix.h), which is faster by far,
 * so that a note says why it is not. Where one dot's result becomes another one's operand, as in
 * attention, it could not; then a note is due only if the tiles are such that registers are not
 * kept busy. That is estimated in vector instructions:
 *
 *     useful = M N K / lanes of a whole vector (K: as many steps as instructions take)
 *     made   = M K vectors of N, as often as sums wait for themselves (a sum takes 4 cycles)
 *     moved  = acc twice; each operand that is made in the same turn twice, if it is turned 4 times
 *
 * of which the useful part should be three quarters. Attention of D = 64 in blocks of 64 rows and
 * 32 keys on AVX2: 0.91 and 0.89 for its two dots, measured 0.68 of the peak with exponentials and
 * all; 16 rows: 0.78 and 0.82, measured 0.59; 8 rows: 0.65 and 0.71, measured 0.50.
 */
#include "cpu/dot.h"
#include "cpu/dot_units.h"

enum { MOST_STEPS = 10000, SUMS_IN_FLIGHT = 8 };
static const double least_useful = 0.75;

/* ---- chains ---------------------------------------------------------------------------------- */

static bool find_dot(struct ir_op *op, void *user)
{
    *(bool *)user = *(bool *)user || op->code == IR_OP_DOT;
    return true;
}

static bool comes_of_dot(const struct ir_value *v, int *steps)
{
    if (!v->op || (*steps)-- <= 0)
        return false;
    bool found = v->op->code == IR_OP_DOT;
    for (int i = 0; i < v->op->region_count; i++)
        ir_walk(v->op->regions[i], find_dot, &found);
    if (found)
        return true;
    for (int i = 0; i < v->op->operand_count; i++) {
        if (comes_of_dot(v->op->operands[i], steps))
            return true;
    }
    return false;
}

static bool find_chain(struct ir_op *op, void *user)
{
    for (int i = 0; i < 2 && op->code == IR_OP_DOT; i++) {
        int steps = MOST_STEPS;
        if (comes_of_dot(op->operands[i], &steps))
            *(bool *)user = true;
    }
    return true;
}

bool cpu_dots_in_chain(const struct ir_func *func)
{
    bool found = false;
    ir_walk(func->body, find_chain, &found);
    return found;
}

/* ---- one dot --------------------------------------------------------------------------------- */

/* Vectors of it that are moved before each dot. */
static double operand_moves(const struct cpu_emit *e, const struct ir_op *op, int i, double lanes)
{
    bool turned;
    const struct ir_value *v = cpu_dot_operand(e, op, i, &turned);
    const struct ir_region *region = v->op ? v->op->parent : v->region;
    if (region != op->parent || !v->op)
        return 0;
    int times = v->op->code == IR_OP_TRANS ? 4 : 2;
    return times * (double)ir_element_count(v->type) / lanes;
}

static double useful_part(const struct cpu_emit *e, const struct ir_op *op)
{
    enum ir_elem elem = (enum ir_elem)op->results[0]->type.elem;
    int64_t M = op->results[0]->type.dims[0], N = op->results[0]->type.dims[1];
    enum cpu_unit unit = cpu_unit_of(e->level, op);
    double depth = op->operands[0]->type.dims[1];
    double whole = e->level->vector_bits / 8.0 / (double)ir_elem_bytes(elem);
    if (unit != CPU_UNIT_ONE)
        depth /= cpu_unit_size(unit);
    int lanes = cpu_dot_lanes(e, elem, N), most = cpu_dot_vectors(e);
    int64_t columns = (N + lanes - 1) / lanes;
    int vectors = columns < most ? (int)columns : most, rows = cpu_dot_rows(e, elem, vectors);
    int sums = vectors * (M < rows ? (int)M : rows);
    double wait = sums < SUMS_IN_FLIGHT ? (double)SUMS_IN_FLIGHT / sums : 1;
    double results = (double)(M * columns), useful = (double)(M * N) * depth / whole;
    double moved = operand_moves(e, op, 0, whole) + operand_moves(e, op, 1, whole) + 2 * results;
    return useful / (results * depth * wait + moved);
}

struct slow {
    const struct cpu_emit *e;
    const struct ir_op *dot;
    const char *reason;
};

static void look_at(struct slow *s, const struct ir_region *region, bool in_loop)
{
    for (const struct ir_op *op = region->first; op && !s->dot; op = op->next) {
        if (op->code == IR_OP_DOT && in_loop) {
            bool slow = !ir_is_float((enum ir_elem)op->results[0]->type.elem) &&
                        cpu_unit_of(s->e->level, op) == CPU_UNIT_ONE;
            if (slow || useful_part(s->e, op) < least_useful) {
                s->dot = op;
                s->reason =
                    slow ? "integers are multiplied one by one"
                         : "its tiles are so small that much of the time goes into moving them";
            }
        }
        for (int i = 0; i < op->region_count; i++)
            look_at(s, op->regions[i], in_loop || op->code != IR_OP_IF);
    }
}

const struct ir_op *cpu_dot_slow(const struct cpu_emit *e, const struct ir_func *func,
                                 const char **reason)
{
    struct slow s = {.e = e};
    look_at(&s, func->body, false);
    *reason = s.reason;
    return s.dot;
}
