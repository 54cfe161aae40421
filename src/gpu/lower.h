#ifndef TILEC_GPU_LOWER_H
#define TILEC_GPU_LOWER_H
/* What the files of the lowering share: Tile IR with layouts -> GPU IR. */
#include "gpu/zeros.h"
#include "gpu/assign.h"
#include "gpu/matrix.h"
#include "gpu/pipeline.h"

/* An access that no barrier has separated from what follows. */
struct access {
    int root; /* parameter, or -1 */
    bool writes;
    const struct ir_value *base, *offsets; /* base NULL: addresses unknown */
    bool disjoint;            /* of an earlier trip, which touched other addresses than this one */
    struct layout layout;     /* unless disjoint */
    const struct ir_op *loop; /* a loop that was left: all of its trips are meant */
};

struct access_list {
    struct access *items;
    size_t count, capacity;
};

struct scratch {
    struct ir_op *op; /* shared */
    enum ir_elem elem;
    struct scratch *next;
};

/* Counts the bytes that a cluster's blocks put into an array; see gpu/cluster.h. */
struct gpu_cluster_word {
    struct ir_value *word;
    int64_t bytes;
};

struct gpu_value_list {
    struct ir_value **items;
    size_t count, capacity;
};

struct lowering {
    const struct gpu_plan *plan;
    const struct gpu_schedule *schedule;
    const struct gpu_options *options; /* may be NULL */
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct ir_func *source; /* Tile IR with layouts */
    struct ir_builder b;          /* into GPU IR */
    struct ir_op *entry;          /* shared arrays stand in front of it */
    int window_bytes;             /* most bytes of one exchange */
    bool shares;                  /* reductions take turns in the exchanges' arrays, row by row */
    int loop_depth;
    bool in_trip;              /* of a loop that is fed: products make its elementwise ops count */
    bool fetches_late;         /* threads may still load from the slots of a pipeline that is over */
    struct scratch *scratches; /* for exchanges; one per element */
    struct scratch *stagings;  /* slots of pipelines */
    int reductions;            /* names their scratch */
    struct {
        struct gpu_cluster_word *items;
        size_t count, capacity;
    } words;
    bool joined;         /* cluster_join stands */
    const char *crosses; /* what would move between blocks of a cluster, but cannot */
    bool one_block;      /* is to run a program */
    const char *single;  /* why it holds a tile that is large for it, or NULL */
    struct access_list pending;
    const struct gpu_promises *promises;
    uint64_t aligned_used;
    struct {
        struct gpu_conversion *items;
        size_t count, capacity;
    } conversions;
    struct {
        struct gpu_pipeline **items;
        size_t count, capacity;
    } pipelines;
    struct {
        struct gpu_squares *items; /* gpu/squares.h */
        size_t count, capacity;
    } squares;
    struct gpu_product_shape product; /* the largest so far */
    int resident;                     /* as in gpu_kernel */
    int64_t needed_bytes;             /* of threadgroup memory, which has fewer; 0: it fits */
    bool failed;
};

/* Whether lowering failed, or made so many ops that no later stage takes them, which is then
 * reported and a failure. Counts ops that are removed again, and takes twice as many as in the end
 * may be. */
bool gpu_is_too_long(struct lowering *l);
void gpu_report_length(const struct ir_func *func, struct diagnostics *diagnostics);

/* ---- values (parts.c) ---------------------------------------------------------------------- */

struct ir_type gpu_part_type(enum ir_elem elem, int width);
struct ir_value *gpu_scalar(const struct ir_value *value); /* of a lowered scalar */
void gpu_set_scalar(struct ir_value *value, struct ir_value *lowered);
struct gpu_tile *gpu_home(const struct ir_value *value);
/* The operand's tile in the layout; assignment made sure that there is one. */
struct gpu_tile *gpu_tile(struct lowering *l, const struct ir_value *value,
                          const struct layout *layout);
void gpu_new_parts(struct lowering *l, struct gpu_tile *tile);

struct ir_value *gpu_extract(struct lowering *l, struct ir_value *part, int k);
/* Neighbours in memory. */
struct ir_value *gpu_load_vector(struct lowering *l, struct ir_value *pointer, enum ir_elem elem,
                                 int width, bool aligned);
/* Registers one by one, and back into parts. */
struct ir_value **gpu_registers(struct lowering *l, const struct gpu_tile *tile);
void gpu_pack(struct lowering *l, struct gpu_tile *tile, struct ir_value *const *registers);

/* The same registers under another name. */
void gpu_adopt(struct lowering *l, struct gpu_tile *tile, const struct gpu_tile *from);

/* What is built between the two stands in a branch; condition NULL: there is none. Returns the place
 * behind it, for the end. */
struct ir_builder gpu_begin_if(struct lowering *l, struct ir_value *condition);
void gpu_end_if(struct lowering *l, struct ir_builder outside);

struct ir_value *gpu_constant(struct lowering *l, int64_t value); /* i64 */
struct ir_value *gpu_bool(struct lowering *l, bool value);
struct ir_value *gpu_and(struct lowering *l, struct ir_value *a,
                         struct ir_value *b); /* NULL: true */
struct ir_value *gpu_lane(struct lowering *l);
struct ir_value *gpu_thread(struct lowering *l);
struct ir_value *gpu_group(struct lowering *l);

/* ---- ops (lower.c) --------------------------------------------------------------------------- */

/* What stands for a value, in a layout, at the end of the list; what is taken from lowered stands
 * for it from now on (the rest is returned). */
void gpu_push_lowered(struct lowering *l, struct gpu_value_list *list, const struct ir_value *value,
                      const struct layout *layout);
struct ir_value *const *gpu_bind(struct lowering *l, struct ir_value *value,
                                 struct ir_value *const *lowered);

void gpu_lower_op(struct lowering *l, const struct ir_op *op);
void gpu_lower_ops(struct lowering *l, const struct ir_region *region); /* until it is too long */
/* Copies the ops of a region of scalars; the arguments' images are set. The terminator's operands
 * are returned as images. */
struct ir_value *gpu_inline(struct lowering *l, const struct ir_region *region,
                            struct ir_value *const *arguments);

/* ---- places (place.c) ---------------------------------------------------------------------- */

/* The image of this thread's register under a linear map from place bits: i64. */
struct ir_value *gpu_map(struct lowering *l, const struct layout *layout, const uint32_t *columns,
                         uint32_t offset, int reg);
/* Likewise of the thread alone, with registers 0 and no offset; NULL: always 0. */
struct ir_value *gpu_map_thread(struct lowering *l, const struct layout *layout,
                                const uint32_t *columns);
/* The index along an axis that the register holds. */
struct ir_value *gpu_axis_index(struct lowering *l, const struct layout *layout, int axis, int reg);
/* Whether the register holds an element, of a type with padded axes; NULL: always. */
struct ir_value *gpu_in_tile(struct lowering *l, const struct layout *layout, struct ir_type type,
                             int reg);
/* What of that is known for all threads. */
enum gpu_presence { GPU_OUTSIDE, GPU_INSIDE, GPU_PARTLY };
enum gpu_presence gpu_presence_of(const struct layout *layout, struct ir_type type, int reg);
/* Of copies of an element one owner is chosen. Registers that never own are told by the first,
 * threads that do by the second (NULL: all). */
bool gpu_register_owns(const struct layout *layout, int reg);
struct ir_value *gpu_thread_owns(struct lowering *l, const struct layout *layout);
bool gpu_is_replicated(const struct layout *layout);
/* The element's row-major index in the unpadded tile. */
struct ir_value *gpu_flat_index(struct lowering *l, const struct layout *layout,
                                struct ir_type type, int reg);

/* ---- handing elements on (exchange.c) -------------------------------------------------------- */

void gpu_barrier(struct lowering *l, enum ir_scope scope);
/* A threadgroup array; its address. */
struct ir_value *gpu_shared(struct lowering *l, const char *name, enum ir_elem elem,
                            int64_t elements);
/* The array of that name, at least so large. */
struct ir_value *gpu_staging(struct lowering *l, const char *name, enum ir_elem elem,
                             int64_t elements, int64_t padding);
/* The array that exchanges of this element type take turns to use. */
struct ir_value *gpu_scratch(struct lowering *l, enum ir_elem elem, int64_t elements);
/* A shuffle of any element; lane: its other operand, or NULL. */
struct ir_value *gpu_shuffle(struct lowering *l, int code, struct ir_value *v,
                             struct ir_value *lane, int number);
struct ir_value *gpu_shuffle_by(struct lowering *l, enum gpu_opcode code, struct ir_value *scalar,
                                int number);
struct ir_value *gpu_of_first_lane(struct lowering *l, struct ir_value *scalar);

/* An array of a reduction's or scan's own, or in memory's need the exchanges'; a barrier where its
 * last readers may still be reading. */
struct ir_value *gpu_partials(struct lowering *l, const char *kind, enum ir_elem elem,
                              int64_t elements);

/* Every owner puts its elements into slots; then `to` takes, for each of its registers, what stands
 * in a slot. Slots are i64; NULL for a register that takes or puts nothing. valid: NULL, or where
 * the taken value is what stands there (else 0). */
struct exchange {
    enum ir_elem elem;
    /* Elements of a slot, a vector, whose slot is the number of its first element; 0: one. Vectors have
     * no masks and fit the window. */
    int width;
    int64_t slots;
    int put_count, take_count;
    struct ir_value *const *put_values, *const *put_slots, *const *put_masks;
    struct ir_value *const *take_slots, *const *take_masks;
    struct ir_value **taken;
};
void gpu_exchange(struct lowering *l, struct exchange *exchange);

/* ---- moving elements (move.c) ---------------------------------------------------------------- */

void gpu_convert(struct lowering *l, const struct ir_op *op);
void gpu_reshape(struct lowering *l, const struct ir_op *op);
void gpu_gather(struct lowering *l, const struct ir_op *op);
void gpu_join(struct lowering *l, const struct ir_op *op);
void gpu_split(struct lowering *l, const struct ir_op *op);

/* ---- the other kinds of op ------------------------------------------------------------------- */

void gpu_flexible(struct lowering *l, const struct ir_op *op);    /* element.c */
void gpu_elementwise(struct lowering *l, const struct ir_op *op); /* element.c */
int gpu_scalar_opcode(const struct ir_op *op); /* normal.c: of the op in GPU IR */
void gpu_access(struct lowering *l, const struct ir_op *op);      /* memory.c */
/* Whether a load of a tile can be done by copies into threadgroup memory that go on while the threads
 * do: the elements of each, or 0. Then the copies, of what this thread owns: of registers reg.. to
 * slot(reg); those of a list are still to be started. memory.c */
struct gpu_copy {
    struct ir_value *to, *from, *valid;
    int elements;
};
struct gpu_copy_list {
    struct gpu_copy *items;
    size_t count, capacity;
};
int gpu_can_copy(struct lowering *l, const struct ir_op *load);
void gpu_copy_tile(struct lowering *l, const struct ir_op *load,
                   struct ir_value *(*slot)(void *user, int reg), void *user,
                   struct gpu_copy_list *late); /* NULL: they are started at once */
/* mask: NULL, or where it is started. */
void gpu_start_copy(struct lowering *l, const struct gpu_copy *copy, struct ir_value *mask);
void gpu_reduction(struct lowering *l, const struct ir_op *op);   /* reduce.c */
void gpu_scan(struct lowering *l, const struct ir_op *op);        /* scan.c */
void gpu_dot(struct lowering *l, const struct ir_op *op);         /* dot.c */
/* A dot on fragments that are not staged. */
void gpu_multiply(struct lowering *l, const struct ir_op *op);   /* multiply.c */
void gpu_stage_loop(struct lowering *l, const struct ir_op *op); /* stage.c */
/* ---- hazards (hazard.c) ---------------------------------------------------------------------- */

/* Before an access of a kernel's buffer: a barrier if another thread may have touched the same. */
void gpu_note_access(struct lowering *l, const struct ir_op *op, const struct ir_value *base,
                     const struct ir_value *offsets, const struct layout *layout);
/* All that a region may touch counts as pending; loop: the op, if it is a loop's; inside: earlier
 * trips are meant, else all. */
void gpu_note_region(struct lowering *l, const struct ir_region *region, const struct ir_op *loop,
                     bool inside);
/* Before a loop: a barrier if what it touches may conflict with what was touched before it. */
void gpu_note_loop(struct lowering *l, const struct ir_op *loop);
/* A copy, for the other branch. */
struct access_list gpu_save_pending(struct lowering *l);

#endif
