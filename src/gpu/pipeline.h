#ifndef TILEC_GPU_PIPELINE_H
#define TILEC_GPU_PIPELINE_H
/*
 * Pipelines as data: which slots of which buffers are filled, published, read, freed, and when.
 *
 * A buffer is a tile of threadgroup memory in several slots. Slots are named by their position: 0
 * holds what is computed with now, 1 what comes next, and so on; rotating moves every slot one
 * position forward, the first to the end. Phases run in order: the prologue once, the steady phases
 * once per trip but the last ones, the drain once. In a guarded pipeline there is no drain: the
 * steady phases run for every trip, and a copy for a trip that there is not is left out. The code
 * is made from the phases as they stand, so what gpu_pipeline_verify proves of them holds for the
 * code.
 *
 * How a copy is done is a mechanism: by the threads themselves (load, store: what they wrote is
 * there when a barrier has passed), or by asynchronous copies (`in_flight` of the youngest groups
 * may still be under way when a barrier publishes).
 *
 * Products may go on, too, when the threads that started them do: then a compute only starts those
 * of its trip, and their slots are read until a *wait* has seen them end. Two trips' may be under
 * way, so that there is no gap between them: what was read a trip ago is recycled only then, and
 * copies go that much less ahead.
 *
 * An asynchronous copy leaves elements in the order that they have in device memory. An operand
 * that is multiplied in another order has two buffers: copies *land* in one, and a phase turns each
 * slot of it into one of the other, a trip before that is computed with. Position 0 of a landing
 * buffer holds what is turned now; in the steady phases that is what the next trip computes with.
 */
#include "gpu/gpu.h"

enum {
    GPU_PANEL_BYTES = 128,            /* of a row, which all banks serve at once */
    GPU_PIPELINE_BUFFERS = 2 * 2 * 4, /* operands of each dot of a loop, and where they land */
    GPU_PIPELINE_STAGES = 8,
    GPU_PIPELINE_PHASES = 3 * GPU_PIPELINE_STAGES + 8,
};

enum gpu_mechanism { GPU_MECHANISM_SOFTWARE, GPU_MECHANISM_ASYNC };

enum gpu_phase_kind {
    GPU_PHASE_COPY,
    GPU_PHASE_BARRIER,
    GPU_PHASE_COMPUTE,
    GPU_PHASE_ROTATE,
    GPU_PHASE_FETCH, /* loads what a compute of that trip begins with */
    GPU_PHASE_TURN,  /* moves landed elements of that trip into the buffer that products read */
    GPU_PHASE_WAIT,  /* for the products that computes have started, but the youngest `in_flight` */
};

enum gpu_pipeline_region { GPU_PROLOGUE, GPU_STEADY, GPU_DRAIN };

extern const char *const gpu_mechanism_names[]; /* "software", "async" */
extern const char *const gpu_phase_kind_names[];
extern const char *const gpu_region_names[];

struct gpu_buffer {
    const char *name; /* "shared_a"; its slots are shared_a_0, ... */
    enum ir_elem elem;
    int rows, columns;
    bool by_columns; /* columns lie one behind the other; else rows do */
    int padding;     /* elements behind each row (or column) */
    bool swizzled;   /* instead: pieces of 16 bytes of a row change places, see gpu_buffer_swizzle */
    int panel; /* so many elements of each row stand together, then the next of each; 0: all of a
                  row */
    int copied;      /* elements that a copy of a slot writes */
    bool lands;      /* copies land in another buffer; a turn writes here */
    bool landing;    /* copies land here */
    int turned;      /* of a landing buffer: the one that it is turned into */
};

/* Sets of positions, one bit each, per buffer. */
struct gpu_phase {
    const char *name;
    enum gpu_pipeline_region region;
    enum gpu_phase_kind kind;
    int ahead; /* a copy, fetch, turn or compute: of how many trips after the current one (or the first) */
    uint16_t reads[GPU_PIPELINE_BUFFERS], writes[GPU_PIPELINE_BUFFERS];
    /* Of a turn: what it reads where there is not that trip, to do the same without a condition. Nobody
     * reads what it writes then. */
    uint16_t instead[GPU_PIPELINE_BUFFERS];
    uint16_t publishes[GPU_PIPELINE_BUFFERS], recycles[GPU_PIPELINE_BUFFERS]; /* of a barrier */
    bool rotates[GPU_PIPELINE_BUFFERS];
    enum ir_scope scope; /* of a barrier */
    int participants;    /* SIMD groups that come to a barrier */
    int in_flight; /* asynchronous copies that a barrier need not wait for, or products that a wait
                      need not */
};

struct gpu_pipeline {
    int stages; /* trips whose tiles are there at once */
    enum gpu_mechanism mechanism;
    bool guarded;
    bool starts;  /* computes only start products, which are waited for */
    bool fetches; /* computes begin with what a fetch has loaded, in a barrier's shadow */
    int groups; /* SIMD groups of the program */
    int buffer_count;
    struct gpu_buffer buffers[GPU_PIPELINE_BUFFERS];
    int phase_count;
    struct gpu_phase phases[GPU_PIPELINE_PHASES];
};

/* Elements of a slot without and with padding. */
int64_t gpu_buffer_elements(const struct gpu_buffer *buffer);
int64_t gpu_buffer_padding(const struct gpu_buffer *buffer);
int64_t gpu_pipeline_bytes(const struct gpu_pipeline *pipeline);
/* Slots of a buffer: one for each stage; two of what is turned, and one less than stages where it lands. */
int gpu_buffer_slots(const struct gpu_pipeline *pipeline, const struct gpu_buffer *buffer);
/* Elements between the starts of two rows (or columns); of their first pieces, where they lie in
 * panels. */
int gpu_buffer_stride(const struct gpu_buffer *buffer);
/* In a swizzled buffer piece p of row r stands where piece p ^ (r >> shift & mask) would: so that the
 * same pieces of eight neighbouring rows lie in different banks. Rows are powers of two. */
struct gpu_swizzling {
    int shift, mask, piece; /* elements of a piece */
};
struct gpu_swizzling gpu_buffer_swizzle(const struct gpu_buffer *buffer);

/* Fills in stages, mechanism and phases; the buffers must be there. One stage: copy, barrier,
 * compute, barrier. More: the first stages - 1 trips are copied ahead; asynchronous copies make a
 * guarded pipeline, in which computes may begin with fetches. Products that computes start
 * (`starts`, which must be set, too) are waited for. Landing buffers need asynchronous copies and
 * GPU_LANDING_STAGES. The name of a phase is that of the record where it has one. */
enum { GPU_LANDING_STAGES = 3 };
void gpu_pipeline_schedule(struct gpu_pipeline *pipeline, int stages, enum gpu_mechanism mechanism,
                           bool fetches, struct arena *arena);

/* Proves, for every number of trips, that no slot is read before it is published, or written before
 * what was read there is recycled; that products which were started have ended before that; that a
 * compute begins with what was fetched of its own trip; that each slot in use rotates with the
 * others; that all SIMD groups come to every barrier; that copies cover their tile; that everything
 * fits the device. One error for what is broken, at the range. */
bool gpu_pipeline_verify(const struct gpu_pipeline *pipeline, const struct gpu_target *target,
                         struct source_range range, struct diagnostics *diagnostics);

#endif
