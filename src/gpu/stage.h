#ifndef TILEC_GPU_STAGE_H
#define TILEC_GPU_STAGE_H
/* What the files of staged loops share: see stage.c. */
#include "gpu/multiply.h"

/* Where an operand of a dot is staged. */
struct staged_operand {
    const struct ir_value *value; /* NULL: it is not (in a loop that is fed) */
    int buffer;
    int copied; /* the buffer that copies write: that one, or where they land */
    const struct ir_op *load; /* that it is, perhaps behind a transposition; else NULL */
};

/* Fragments of one step: of a for each row, of b for each column. */
struct fragments {
    struct ir_value **rows, **columns;
};

struct stage {
    struct lowering *l;
    const struct ir_op *loop;
    const struct gpu_dot_loop *form;
    struct gpu_pipeline *pipeline;
    struct staged_operand operands[PLAN_DOT_LOOP_DOTS][2];
    struct gpu_product products[PLAN_DOT_LOOP_DOTS];

    /* values that go through control flow */
    struct ir_value **sums[PLAN_DOT_LOOP_DOTS]; /* fragments; of one carried sum: the same array */
    struct gpu_value_list carried;              /* other carried values, for the next copy */
    struct ir_value *slots[GPU_PIPELINE_BUFFERS][GPU_PIPELINE_STAGES]; /* by position */
    struct fragments fetched; /* of the first dot, if the pipeline fetches */

    /* what is still to be done of a trip */
    struct fragments last;        /* of the first dot's last step: products, if the pipeline fetches */
    struct gpu_copy_list late;    /* copies that are started between products */
    struct ir_value *late_exists; /* whether there is their trip */
    size_t late_done;             /* so many are */
    struct gpu_turn turns[GPU_PIPELINE_BUFFERS]; /* to be made during the next products */
    int turn_count;

    struct ir_value *low, *high, *step, *trip; /* trip: the counter of the current trip */
    int64_t width;                             /* the step */
};

/* ---- values that go through control flow (stage_values.c) ------------------------------------ */

enum { STAGE_SUMS = 1, STAGE_CARRIED = 2, STAGE_SLOTS = 4, STAGE_FETCHED = 8, STAGE_ALL = 15 };

/* The variables of these kinds, always in the same order: their values; others in their place. */
void gpu_stage_collect(struct stage *s, struct gpu_value_list *list, int kinds);
void gpu_stage_replace(struct stage *s, struct ir_value *const *values, int kinds);
struct ir_type *gpu_stage_types(struct stage *s, const struct gpu_value_list *list);
void gpu_stage_yield(struct stage *s, int kinds);
/* if (condition) body, which changes variables of these kinds. */
void gpu_stage_if(struct stage *s, struct ir_value *condition, int kinds,
                  void (*body)(struct stage *s, const void *user), const void *user);

/* ---- decisions (stage_plan.c) ---------------------------------------------------------------- */

/* The buffer for an operand: that of the same value in the same role, or a new one. */
int gpu_stage_buffer(struct stage *s, int dot, int side);
/* As many stages as planned; fewer where memory ends, unless they are required. False: none fit, or
 * a requirement cannot be met. */
bool gpu_stage_make_pipeline(struct stage *s);
/* Whether the steps of a dot are written out, and fragments loaded ahead. */
bool gpu_stage_loads_ahead(const struct stage *s, int dot);

/* ---- copies (stage_copy.c) ------------------------------------------------------------------- */

/* The layout in which an operand's load reaches the product. */
struct layout gpu_stage_loaded_layout(const struct staged_operand *o);
void gpu_stage_copy(struct stage *s, const void *phase);
/* Counts and waits for groups of copies, one group a phase; -1: counts. */
void gpu_stage_mark_copies(struct stage *s, int in_flight);
/* Whether a phase's copies can be started between the products of their own trip. */
bool gpu_stage_starts_late(struct stage *s, const struct gpu_phase *phase);
/* Starts late copies until so many are under way. */
void gpu_stage_start_late(struct stage *s, size_t count);

/* ---- turns (stage_turn.c) -------------------------------------------------------------------- */

enum { STAGE_SLICE = 16 }; /* most elements of a slice */

void gpu_stage_begin_turns(struct stage *s, const struct gpu_phase *phase, struct ir_value *exists);
int gpu_stage_slices(const struct stage *s);
/* Moves what is due in gap number `gap` between products; elements: STAGE_SLICE of each slice. */
void gpu_stage_turn_between(struct stage *s, int gap, int gaps, struct ir_value **elements);
/* What is still to be turned, all at once. */
void gpu_stage_end_turns(struct stage *s);

/* ---- products of teams, which go on while the threads do (stage_team.c) ---------------------- */

/* Whether teams multiply what is in the slots. */
bool gpu_stage_has_teams(const struct stage *s);
/* Around the products of a phase; nothing where they are the threads' own. */
void gpu_stage_begin_products(struct stage *s);
void gpu_stage_end_products(struct stage *s);
/* Starts a dot's products of what stands in the slots at a position. */
void gpu_stage_start_products(struct stage *s, int dot, int position);
/* Until products that were started are done; behind the last of them, sums are what they leave. */
void gpu_stage_wait(struct stage *s, const struct gpu_phase *phase);

/* ---- loops that are fed (stage_fed.c) -------------------------------------------------------- */

/* Whether asynchronous copies take the op's place, or it only transposes what they bring. */
bool gpu_stage_is_copied(const struct stage *s, const struct ir_op *op);
/* Left operands that are made in front of the loop are written where teams read them. */
void gpu_stage_keep_operands(struct stage *s);
/* What the copies of the trip with this counter take is computed. */
void gpu_stage_lower_feeds(struct stage *s, struct ir_value *counter);
/* A trip: all of the body but the loads of what has been copied. */
void gpu_stage_run_trip(struct stage *s, const void *phase);

/* ---- products (stage_multiply.c) ------------------------------------------------------------- */

int gpu_stage_split(const struct stage *s, int dot); /* sets of groups that share the inner axis */
int gpu_stage_steps(const struct stage *s, int dot); /* along the inner axis, of the group's part */
void gpu_stage_multiply_loaded(struct stage *s, int dot, struct fragments *f);
void gpu_stage_compute(struct stage *s, const void *phase);
void gpu_stage_fetch(struct stage *s, const void *phase);

#endif
