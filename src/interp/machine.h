#ifndef TILEC_INTERP_MACHINE_H
#define TILEC_INTERP_MACHINE_H
/*
 * Inside the interpreter: what its files share.
 *
 *   prepare.c     a function as blocks of steps, whose values are slots with storage
 *   interp.c      runs the blocks: control, checks, the entry points
 *   shape.c       ops that make or move elements
 *   collective.c  reductions, scans, dot
 *   arguments.c   buffers and their shadows, from a launch's arguments
 *   memory.c      bounds, initialisation, races; loads, stores, atomics, views
 *   bound.c       how far another target may be off (interp_bound)
 *   report.c      faults, merged per place
 *
 * A tile is an array of element bits in row-major order. A pointer element holds the parameter that
 * it was derived from in its upper 16 bits and a signed offset in elements in the lower 48, so that
 * an access outside its own buffer is found even where it would land in another one.
 */
#include "interp/interp.h"
#include "ir/eval.h"

/* ---- values --------------------------------------------------------------------------------- */

struct slot {
    struct ir_type type;
    enum ir_elem elem; /* pointers count as IR_U64 here */
    int64_t count;     /* elements; 1 for a scalar */
    uint64_t *bits;
    double *errors; /* how far element i may be off; NULL unless bounds are wanted */
    bool inexact;   /* false: all errors are 0, whatever the array holds */
};

struct step {
    const struct ir_op *op;
    struct slot **operands, **results;
    struct block *blocks;
    const int32_t *map; /* broadcast, trans: where each element comes from; NULL: from the first */
    double *scratch;    /* dot: room for its operands as doubles */
};

struct block {
    int argument_count, step_count;
    struct slot **arguments;
    struct step *steps;
};

/* ---- memory --------------------------------------------------------------------------------- */

/*
 * What happened to each cell of memory so far; a cell is the smallest element of the buffers that
 * overlap there. Programs are numbered from 1; 0 is nobody.
 */
struct shadow {
    uint8_t *missing;     /* 1: nobody wrote it; NULL: all is written */
    uint32_t *last_write; /* with ATOMIC_WRITE or not; NULL: races are not tracked */
    uint32_t *last_read;
};

struct buffer {
    unsigned char *data;
    int64_t elements; /* -1: unknown */
    enum ir_elem elem;
    int bytes; /* of an element */
    const struct ir_parameter *parameter;
    struct shadow *shadow; /* or NULL */
    int64_t first_cell;    /* of element 0 */
    int cells;             /* of an element */
    double *allowed;       /* interp_bound, or NULL */
};

enum { POINTER_OFFSET_BITS = 48 };

static inline uint64_t pointer_make(uint64_t parameter, int64_t offset)
{
    return parameter << POINTER_OFFSET_BITS |
           ((uint64_t)offset << (64 - POINTER_OFFSET_BITS) >> (64 - POINTER_OFFSET_BITS));
}

static inline size_t pointer_parameter(uint64_t pointer)
{
    return (size_t)(pointer >> POINTER_OFFSET_BITS);
}

static inline int64_t pointer_offset(uint64_t pointer)
{
    return (int64_t)(pointer << (64 - POINTER_OFFSET_BITS)) >> (64 - POINTER_OFFSET_BITS);
}

/* ---- faults --------------------------------------------------------------------------------- */

enum fault_kind {
    FAULT_OUTSIDE,
    FAULT_UNWRITTEN,
    FAULT_RACE,
    FAULT_OVERFLOW,
    FAULT_DIVISION,
    FAULT_SHIFT,
    FAULT_INDEX,
    FAULT_STEP,
    FAULT_ASSERT,
    FAULT_LIMIT,
};

struct report {
    enum fault_kind kind;
    const struct ir_op *op;
    const char *message;
    int64_t times;
};

/* ---- the machine ---------------------------------------------------------------------------- */

struct machine {
    const struct ir_func *func;
    const struct interp_options *options;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct block *body;

    int64_t program[3];
    uint32_t program_number; /* from 1 */
    bool many_programs;
    const struct step *step; /* that runs */
    int64_t steps_left;
    bool stopped;        /* the step limit was reached */
    uint64_t *results;   /* a host function's, or NULL */
    struct text printed; /* what tile_print makes; used again and again */

    struct buffer *buffers; /* one per parameter; those of scalars are empty */
    struct report *reports;
    int report_count, report_limit;

    bool bounds; /* errors are tracked */
    bool lost;   /* an inexact value steered control or an address: nothing stored is certain */
    bool failed; /* a fault that check does not switch off */
};

/* prepare.c */
struct block *prepare(const struct ir_func *func, bool errors, struct arena *arena);

/* report.c */
/* Notes a fault of the step that runs. NULL: nothing is to be said (it is known and was counted, or
 * nobody wants to know); else words follow. */
struct report *report_begin(struct machine *m, enum fault_kind kind);
/* What happened, at an element of the tile (NULL or a scalar: no element). */
void report_words(struct machine *m, struct report *report, const struct slot *tile,
                  int64_t element, const char *format, ...) __attribute__((format(printf, 5, 6)));
void report_eval_faults(struct machine *m, unsigned faults);
/* "program (1, 0, 2)", in the arena: the one with a number. */
const char *report_program(struct machine *m, uint32_t number);
/* Turns what was noted into diagnostics. */
void report_all(struct machine *m);

/* arguments.c */
bool memory_init(struct machine *m, const struct interp_argument *arguments);

/* memory.c */
void memory_addptr(struct machine *m, const struct step *step);
void memory_load(struct machine *m, const struct step *step);
void memory_store(struct machine *m, const struct step *step);
void memory_atomic(struct machine *m, const struct step *step);
void memory_view_load(struct machine *m, const struct step *step);
void memory_view_store(struct machine *m, const struct step *step);

/* shape.c */
void shape_constant(struct machine *m, const struct step *step);
void shape_arange(struct machine *m, const struct step *step);
void shape_copy(struct machine *m, const struct step *step); /* reshape, convert_layout */
void shape_move(struct machine *m, const struct step *step); /* broadcast, trans */
void shape_join(struct machine *m, const struct step *step);
void shape_split(struct machine *m, const struct step *step);
void shape_gather(struct machine *m, const struct step *step);
void shape_lookup(struct machine *m, const struct step *step);
void slot_copy(struct slot *to, const struct slot *from);
/* Fills map for a broadcast or trans. */
void shape_map(const struct ir_op *op, int32_t *map);

/* collective.c */
void collective_reduce(struct machine *m, const struct step *step);
void collective_argmax(struct machine *m, const struct step *step);   /* argmin too */
void collective_cumulate(struct machine *m, const struct step *step); /* all scans but a helper's */
void collective_scan(struct machine *m, const struct step *step);
void collective_dot(struct machine *m, const struct step *step);

/* interp.c */
void run_block(struct machine *m, const struct block *block);

/* How the elements lie along an axis: element (o, k, i) at (o * count + k) * inner + i. */
struct lanes {
    int64_t outer, count, inner;
};

struct lanes lanes_of(struct ir_type type, int axis); /* axis -1: all elements are one lane */

/* ---- bound.c: only called when m->bounds --------------------------------------------------- */

static inline double slot_error(const struct slot *slot, int64_t i)
{
    return slot->inexact ? slot->errors[i] : 0.0;
}

void slot_set_error(struct slot *slot, int64_t i, double error);
void slot_set_unknown(struct slot *slot); /* every element may be off by anything */
void bound_elementwise(const struct step *step);
void bound_reduce(const struct step *step);
void bound_argmax(const struct step *step);
void bound_cumulate(const struct step *step);
void bound_dot(const struct step *step);

#endif
