/*
 * A nest: the loops of a group while they are written. group.c writes it, nest_lanes.c chooses its
 * vectors, nest_body.c writes what one of them does and the interior, nest_rows.c finds rows that
 * go together, nest_bounds.c between which places all masks hold, nest_edges.c writes what lies
 * outside of them, nest_settled.c what need not be written behind its end, nest_past.c how its
 * stores leave, nest_runs.c goes from run to run of quotients, nest_whole.c asks whether all of a
 * tile is inside.
 */
#ifndef TILEC_CPU_NEST_H
#define TILEC_CPU_NEST_H

#include "cpu/schedule.h"

/* How an interior's stores go past the caches: not; all at multiples of a line; shifted to them. */
enum cpu_past { CPU_PAST_NONE, CPU_PAST_LINES, CPU_PAST_SHIFTED };

enum { CPU_MOST_BOUNDED = 16, CPU_MOST_TOPS = 4, CPU_MOST_JAMMED = 4 };

struct cpu_nest {
    struct cpu_group *group; /* of the first program, which decides on lanes and copies */
    struct cpu_group *const *groups;
    int axis;     /* that the lanes run over; -1: the tile has one element */
    int64_t size; /* of that axis */
    int lanes, copies;
    bool light; /* computes little per cache line */
    bool patterns; /* there may be some in vectors that start at multiples of the lanes, pattern.c */
    bool dear;  /* computes so much, in float, that a copy of the body costs more than it gains */
    struct cpu_position position;
    struct cpu_loop loops[IR_MAX_RANK];
    struct cpu_bounded bounded[CPU_MOST_BOUNDED];
    int bounded_count;
    int bounded_before; /* of programs before the one that is looked at */
    LLVMValueRef from;  /* where the last mask may begin to hold */
    LLVMValueRef all;   /* where the first mask may end to hold */
    struct cpu_span own[CPU_MOST_TOGETHER]; /* the same of each program's masks alone */
    bool whole;                             /* all masks hold for the whole tile */
    bool anywhere; /* vectors of the interior need not start at multiples of the lanes */
    int jam; /* rows that a body does at once, of the axis before the lanes'; 1: no more */
    int jam_axis;
    LLVMValueRef jammed[CPU_MOST_JAMMED]; /* their places */
    bool gathers; /* rows that end together: the one of number `row` does not end */
    int row;
    bool varies;        /* the interior depends on which programs share the nest */
    bool bits;          /* goes by runs of bits, too: they are long */
    LLVMValueRef at;    /* where the runs of quotients that are bounded begin; NULL: none is */
    LLVMValueRef least; /* of their divisors, and lowest bits */
    LLVMValueRef run_end; /* where they end */
    int run_count;        /* of the first bounded, which are they */
    LLVMValueRef reach;   /* where the nest ends that goes by them */
    struct {
        struct {
            struct cpu_value *top;
            const struct cpu_value *factor; /* of a product that is narrowed, or NULL */
            int program;
        } items[CPU_MOST_TOPS];
        int count;
        bool missed[CPU_MOST_TOGETHER]; /* by program: there may be others */
    } tops; /* maxima whose spread is known, and below which exponentials are made, see spread.c */
    LLVMValueRef near_if; /* whether the interior's exponentials are all near 0, or NULL */
    bool near;            /* that version of the interior */
    enum cpu_past past;   /* another */
    struct cpu_shift **shifts; /* there, by sink; NULL: of no store that is shifted */
    LLVMValueRef went_past;    /* slot: whether the last one's stores did, or NULL: none may */
    bool beside;               /* in the near one: two vectors beside each other, see group.c */
    bool near_by_program;      /* in the other, those of one program may be and of another not */
};

/* The axis of the lanes; then how many there are, and of copies. */
void cpu_nest_choose_axes(struct cpu_nest *n);
void cpu_nest_choose_lanes(struct cpu_emit *e, struct cpu_nest *n);
/* Where stores join a nest of shorter vectors (behind.c), it takes theirs. */
void cpu_nest_take_longer(struct cpu_emit *e, struct cpu_nest *n, struct cpu_group *other);

/* How many rows of an axis a body does at once; how many rows that only reduce end together. */
int cpu_nest_rows_at_once(const struct cpu_nest *n, int axis);
int cpu_nest_rows_that_gather(struct cpu_emit *e, const struct cpu_nest *n, int axis);

/* Sets bounded, from, all and tops, for the elements that the outer loops' position says. */
void cpu_nest_find_bounds(struct cpu_emit *e, struct cpu_nest *n);

/* Whether a mask may fail for all that the lanes run over, as it also hangs on what is the same
 * there: `row > 0 && col < n`. Then vectors outside of the interior are many. */
bool cpu_nest_misses_rows(struct cpu_emit *e, const struct cpu_nest *n);

/* Whether all masks hold for the whole tile, which nest->whole then says of a copy of the nest;
 * NULL: there are none, or they are not worth a copy. */
LLVMValueRef cpu_nest_ask_whole(struct cpu_emit *e, struct cpu_nest *n);

/* The same in steps, for a nest that makes v at more than one row at a time: its bounds are
 * everything, then those of v at the position too. */
void cpu_nest_begin_bounds(struct cpu_emit *e, struct cpu_nest *n);
void cpu_nest_bound_also(struct cpu_emit *e, struct cpu_nest *n, const struct ir_value *v,
                         const struct cpu_position *p);

/* Whether elements outside of the bounds are done alone, which cpu_nest_emit_thin_edges writes, the
 * interior included. */
bool cpu_nest_has_thin_edges(struct cpu_emit *e, const struct cpu_nest *n);
void cpu_nest_emit_thin_edges(struct cpu_emit *e, struct cpu_nest *n);

/* No load of the nest reads what one of its stores may write, so that it may be done twice. */
bool cpu_nest_may_repeat(struct cpu_emit *e, const struct cpu_nest *n);
/* [start, all) without masks as one loop, which is entered a second time for the last vector: that
 * ends at `all`. Whole vectors end at `end`; there is room for one. */
void cpu_nest_emit_in_one_loop(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef start,
                               LLVMValueRef end, LLVMValueRef all);

/* From where on no mask of a store holds: what lies behind it need not be looked at. */
LLVMValueRef cpu_nest_reach(struct cpu_emit *e, const struct cpu_nest *n);

/* Whether it divides indices, or makes bits of them, that come in runs, which cpu_nest_emit_runs
 * then writes all of it by: of bits, if n->bits. */
enum cpu_runs { CPU_RUNS_NONE, CPU_RUNS_DIVIDED = 1, CPU_RUNS_BITS = 2 };
enum cpu_runs cpu_nest_runs_of(struct cpu_emit *e, const struct cpu_nest *n);
/* Whether all of the bits' runs are long. */
LLVMValueRef cpu_nest_ask_bits(struct cpu_emit *e, const struct cpu_nest *n);
void cpu_nest_emit_runs(struct cpu_emit *e, struct cpu_nest *n);
/* Bounds all that n->at is for: a part of cpu_nest_find_bounds. */
void cpu_nest_bound_runs(struct cpu_emit *e, struct cpu_nest *n);

/* The sinks of all programs of the nest: how many; sink i, those of the first program first, turning
 * to its program. */
size_t cpu_nest_sink_count(const struct cpu_emit *e, const struct cpu_nest *n);
struct cpu_sink *cpu_nest_enter_sink(struct cpu_emit *e, const struct cpu_nest *n, size_t i);

/* The lanes of the vector at `index` that the axis has; NULL: it consists of whole vectors. */
LLVMValueRef cpu_nest_active(struct cpu_emit *e, const struct cpu_nest *n, LLVMValueRef index);

/* The next body: all lanes, with masks unless it is one of the interior. */
void cpu_nest_set_body(struct cpu_emit *e, struct cpu_nest *n, bool interior);
void cpu_nest_emit_body(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef lane_index);

/* [first, end) in steps of all copies: once for each way in which its stores may go past the
 * caches, by nest_past.c, */
void cpu_nest_emit_interior(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                            LLVMValueRef end);
/* and one of these, whose loops begin and end the shifts. */
void cpu_nest_emit_loops(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                         LLVMValueRef end);
void cpu_nest_begin_shifts(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first);
void cpu_nest_end_shifts(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef first,
                         LLVMValueRef end);
/* One vector outside of the interior, with the lanes in which masks hold if a reduction wants them. */
void cpu_nest_emit_around(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef index);
/* [from, size), of which what lies behind all masks is left out; false: that is not possible, and
 * nothing is written. */
bool cpu_nest_emit_settled(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from);
/* Between which places, multiples of the lanes or the end, elements differ: what lies outside is
 * left out, but cpu_nest_fill_settled must be called behind the nest. false: that is not possible.
 */
bool cpu_nest_find_settled(struct cpu_emit *e, struct cpu_nest *n, struct cpu_span *between);
void cpu_nest_fill_settled(struct cpu_emit *e, struct cpu_nest *n, const struct cpu_span *between);
/* [from, to) with masks and single vectors */
void cpu_nest_emit_masked(struct cpu_emit *e, struct cpu_nest *n, LLVMValueRef from,
                          LLVMValueRef to);

#endif
