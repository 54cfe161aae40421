#ifndef TILEC_CPU_EMIT_H
#define TILEC_CPU_EMIT_H
/*
 * What the files of the code generator share.
 *
 * A kernel variant becomes one LLVM function. The ops of a region are first scheduled
 * (schedule.h): scalars are computed where they stand, tile ops are gathered into groups, and a
 * group becomes one loop nest whose innermost loop runs over native vectors (group.c). Inside a
 * nest every element value is made on demand (element.c): the answer to "what is value v at this
 * position" is a vector, or a scalar where it does not depend on the lane.
 */
#include "base/arena.h"
#include "cpu/convert.h"
#include "cpu/cpu.h"
#include "cpu/math.h"

/* A tile that lies in the scratch memory, dense and row-major. */
struct cpu_buffer {
    int64_t offset;     /* bytes from the start of the scratch memory, a multiple of 64; if it has a
                         * place of its own, see share.c */
    LLVMValueRef place; /* the offset where it changes from program to program, or NULL */
    int tile;           /* its number in share.c */
    struct ir_type type;
};

/* How a tile's value depends on the element's place: per axis nothing, a constant times the index,
 * or a launch- or run-time scalar times the index. */
enum cpu_coefficient_kind { CPU_ZERO, CPU_CONSTANT, CPU_RUNTIME };

struct cpu_affine {
    bool known; /* value = base + sum of coefficient * index */
    struct {
        enum cpu_coefficient_kind kind;
        int64_t value; /* of a constant */
    } axis[IR_MAX_RANK];
};

/* The same as code: scalars; NULL stands for zero. root: the scalar pointer of a pointer tile. */
struct cpu_linear {
    LLVMValueRef root, base, axis[IR_MAX_RANK];
};

/* One element, or as many as the group has lanes: the index along each axis, of which that along
 * axis `lane` (-1: none) is the first of consecutive ones. */
struct cpu_position {
    int rank, lane;
    bool along; /* no lane, but where the lanes of an interior count from; see along.c */
    LLVMValueRef index[IR_MAX_RANK];
};

/* A value at a position: a scalar that holds for all lanes, or a vector of one element per lane. */
struct cpu_element {
    LLVMValueRef v;
    bool vector;
};

struct cpu_memo {
    struct cpu_position position;
    struct cpu_element element;
    struct cpu_memo *next;
};

struct cpu_memos { /* what was already made in this epoch */
    unsigned epoch;
    struct cpu_memo *first;
};

struct cpu_bounded;
struct cpu_group;
struct cpu_schedule;
struct cpu_share;
struct cpu_shift;

struct cpu_value { /* what the code generator knows of an ir_value; found by its id */
    LLVMValueRef scalar;       /* rank 0 */
    struct cpu_buffer *buffer; /* a tile that lies in scratch memory, or will once `ready` */
    bool ready;
    bool affine_done;
    struct cpu_affine affine;
    signed char fixed; /* see once.c */
    bool used_whole;   /* other than element by element, see once.c */
    LLVMValueRef spread, spread_from, spread_to; /* of a maximum, or NULL; see spread.c */
    LLVMValueRef near; /* of a maximum: whether this nest's exponentials below it are, or NULL */
    LLVMValueRef squares;    /* of a sum: that of the squares, or NULL; see squares.c */
    bool small_known, small; /* see small.c */
    /* emission: valid while the epoch is the current one */
    struct cpu_memos made, shorts; /* shorts: see small.c */
    unsigned linear_epoch;
    struct cpu_linear linear;
    /* scheduling, see schedule.c */
    int need;
    struct cpu_group *evaluated, *pending;
    unsigned visited[2];
    int chain; /* see survey.c */
};

enum {
    CPU_SIDE_BY_SIDE = 2, /* programs that do the same, see together.c */
    /* programs of one round that do different groups in one nest, see behind.c and lead.c */
    CPU_PROGRAM_NOW = 0,
    CPU_PROGRAM_BEFORE,
    CPU_PROGRAM_AFTER,
    CPU_PROGRAM_FIRST,
    CPU_MOST_TOGETHER,
};

/* Every element at the position is one that these stores may touch. */
struct cpu_inside {
    const struct ir_op *const *stores;
    int count;
    struct cpu_position position;
};

/* Where code of a group's body stands. */
struct cpu_body {
    int lanes;            /* 1: no vectors */
    LLVMValueRef active;  /* lanes that exist, <lanes x i1>, or NULL: all do */
    bool interior;        /* what is in `bounded` is as it says there */
    const struct cpu_bounded *bounded;
    int bounded_count;
    int copy;  /* of the unrolled body: which accumulators it uses */
    bool fast; /* the interior: worth fetching ahead */
    bool past; /* stores go past the caches */
    struct cpu_shift *shift; /* past, of the store that is written: not at multiples, shifted.c */
    LLVMValueRef first_trip; /* whether this is the loop's, or NULL */
    LLVMValueRef went_past; /* not past: slot that tells whether the nest's interior was, or NULL */
    bool near; /* exponentials are of a tile near its maximum, see spread.c */
    bool near_by_tile; /* else they may be: a tile's `near` says */
    /* by program: lanes in which all masks hold for certain; NULL: in all */
    LLVMValueRef within[CPU_MOST_TOGETHER];
    const struct cpu_inside *inside; /* NULL, or: which stores' masks hold */
    bool misses_rows;    /* outside of the interior: where a mask may fail in a row as a whole */
    bool pairs;          /* lanes are in the order of pairs.c */
    LLVMValueRef origin; /* the first lane's place is so many whole vectors behind this, or NULL */
    LLVMValueRef place;  /* which is this one */
    bool aligned;        /* the first lane's place along its axis is a multiple of the lanes */
};

enum { CPU_MOST_COLLECTED = 2 };

struct cpu_slots { /* what steps of one program left for another round, see slots.h */
    LLVMValueRef *scalars;      /* by value, or NULL */
    LLVMValueRef (*spreads)[3]; /* and a maximum's spread, from and to */
    size_t count;               /* of the steps, from the first one on */
};

struct cpu_emit {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct cpu_options *options;
    const struct cpu_level *level;
    struct cpu_math math;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMTypeRef i1, i8, i32, i64, pointer, void_type;

    const struct ir_func *func; /* numbered */
    struct cpu_value *values;   /* of the program that is under construction */
    int value_count;
    bool no_overlap, streaming;   /* the variant */
    bool overlap_mattered;        /* a conflict was assumed that no_overlap would remove */
    bool streaming_mattered;
    bool streamed;                /* the variant has non-temporal stores */
    struct cpu_ahead *ahead;      /* per parameter, see stream.c; NULL: nothing is fetched ahead */
    const bool *read;             /* per parameter: the program reads what it points to */
    bool reads_once;              /* no nest reads again what another has read */

    LLVMValueRef function;
    LLVMBasicBlockRef entry; /* for allocas; ends in a branch that is added last */
    LLVMBasicBlockRef program_end; /* goes on with the next program */
    LLVMValueRef scratch;
    int64_t scratch_bytes, apart_bytes; /* apart: if no buffers shared it */
    struct cpu_share *share;            /* where buffers may share it, or NULL; see share.c */
    LLVMValueRef program[3], grid[3]; /* program: of the one under construction */
    int together; /* programs that run side by side: 1, or see together.c */
    int entered;  /* of these, the one whose values are `values` */
    bool behind;  /* they are the one of this round, the one before and the one after, behind.c */
    enum cpu_order order;
    unsigned paths; /* see cpu_stats */
    bool adjacent; /* behind: no nest stands between the two that are joined */
    LLVMValueRef odd;   /* behind: whether this is the second, fourth, .. round */
    LLVMValueRef first_round; /* behind: whether it is */
    struct cpu_slots kept;    /* behind: what the program before left */
    struct cpu_slots lead;    /* behind: what was made of this program a round ago, see lead.c */
    struct cpu_program {
        struct cpu_value *values;
        LLVMValueRef program[3];
    } programs[CPU_MOST_TOGETHER];
    struct cpu_collected { /* atomic additions that go to a table first, see collect.c */
        const struct ir_op *op;
        struct cpu_buffer *table;
    } collected[CPU_MOST_COLLECTED];
    int collected_count;
    struct { /* through what the function writes, see once.c */
        const struct ir_value **items;
        size_t count, capacity;
        bool known;
    } written;
    struct source_line line; /* of the last op that named a block */
    LLVMValueRef dummy; /* 8 bytes of stack: where accesses that are masked off go */
    int vector_bytes;   /* of the widest vectors that were used */

    const struct cpu_group *group; /* whose nest is under construction */
    bool rare;                     /* what is written hardly runs, and had better be short */
    const struct ir_op *loop_of;   /* loops that begin are named after it; NULL: after nothing */
    unsigned epoch;                /* memos of another epoch are dead */
    unsigned epochs;               /* how many there were */
    struct cpu_body body;
    bool failed;
};

/* ---- context (emit.c) */
struct cpu_value *cpu_value_of(struct cpu_emit *e, const struct ir_value *v);
void cpu_error(struct cpu_emit *e, const struct ir_op *op, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct cpu_buffer *cpu_buffer_new(struct cpu_emit *e, struct ir_type type);
LLVMValueRef cpu_alloca(struct cpu_emit *e, LLVMTypeRef type, const char *name);
LLVMBasicBlockRef cpu_block(struct cpu_emit *e, const char *name);
/* "sum.52.": named after the op and its line; reports say by it which loop is which. */
LLVMBasicBlockRef cpu_op_block(struct cpu_emit *e, const struct ir_op *op);
unsigned cpu_new_epoch(struct cpu_emit *e); /* gives its number, which no other has */
static inline void cpu_takes(struct cpu_emit *e, enum cpu_path path)
{
    e->paths |= 1u << path;
}

/* ---- LLVM short forms (emit.c) */
LLVMValueRef cpu_i64(struct cpu_emit *e, int64_t value);
LLVMTypeRef cpu_vector(LLVMTypeRef element, int lanes); /* the element itself for one lane */
LLVMTypeRef cpu_register_type(struct cpu_emit *e, struct ir_type type); /* of one element */
LLVMTypeRef cpu_memory_type(struct cpu_emit *e, struct ir_type type);   /* bool is i8 */
int64_t cpu_memory_bytes(struct ir_type type);                          /* of one element */
LLVMValueRef cpu_constant(struct cpu_emit *e, struct ir_type type, uint64_t bits);
/* Elements of a vector; 1: it is a scalar. */
static inline int cpu_width_of(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 1;
}
LLVMValueRef cpu_splat(struct cpu_emit *e, LLVMValueRef scalar, int lanes);
LLVMValueRef cpu_spread(struct cpu_emit *e, struct cpu_element element); /* to a vector of lanes */
LLVMValueRef cpu_iota(struct cpu_emit *e, LLVMTypeRef element, int lanes);
/* What is loaded where the mask is set, and else `instead`. */
LLVMValueRef cpu_masked_load(struct cpu_emit *e, LLVMTypeRef vector, LLVMValueRef pointer,
                             int64_t align, LLVMValueRef mask, LLVMValueRef instead);
LLVMValueRef cpu_intrinsic(struct cpu_emit *e, const char *name, int overload_count,
                           LLVMTypeRef *overloads, int operand_count, LLVMValueRef *operands);
LLVMValueRef cpu_add(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b); /* NULL is zero */
LLVMValueRef cpu_mul(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b); /* NULL is zero */
/* Of integers or vectors of them; the least one's is itself. */
LLVMValueRef cpu_magnitude(struct cpu_emit *e, LLVMValueRef v);
LLVMValueRef cpu_min_i64(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b); /* signed */
LLVMValueRef cpu_max_i64(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b);
bool cpu_is_constant(LLVMValueRef v, int64_t *value);
void cpu_set_align(LLVMValueRef access, int64_t bytes);

/* A loop over [from, to) by step, rotated (a guard, then a body that ends in the test). What is
 * built between begin and end is the body. */
struct cpu_loop {
    LLVMValueRef index, to, step;
    LLVMBasicBlockRef head, exit, before;
};
void cpu_loop_begin(struct cpu_emit *e, struct cpu_loop *loop, LLVMValueRef from, LLVMValueRef to,
                    int64_t step);
/* The same, without asking whether there is a turn at all. */
void cpu_loop_enter(struct cpu_emit *e, struct cpu_loop *loop, LLVMValueRef from, LLVMValueRef to,
                    int64_t step);
void cpu_loop_end(struct cpu_emit *e, struct cpu_loop *loop);

/* ---- affine.c */
const struct cpu_affine *cpu_affine_of(struct cpu_emit *e, const struct ir_value *v);
bool cpu_is_uniform(struct cpu_emit *e, const struct ir_value *v); /* one value for all elements */
struct cpu_linear cpu_linear_of(struct cpu_emit *e, const struct ir_value *v);
/* Whether no two elements of the tile have the same value. */
bool cpu_is_injective(struct cpu_emit *e, const struct ir_value *v);
/* Whether what is reached through one root is never reached through the other: two parameters, one
 * of them restrict, or where the launch knows that no buffers overlap. NULL: reaches anything. */
bool cpu_are_apart(struct cpu_emit *e, const struct ir_value *a, const struct ir_value *b);
/* Whether it counts places: 64 bits, or a pointer. */
bool cpu_is_index(struct ir_type type);

/* ---- element.c, elementwise.c, shape.c */
struct cpu_element cpu_element_of(struct cpu_emit *e, const struct ir_value *v,
                                  const struct cpu_position *position);

bool cpu_same_position(const struct cpu_position *a, const struct cpu_position *b);
/* What was made at the position, or NULL. Forgets what is of another epoch. */
const struct cpu_element *cpu_memo_find(const struct cpu_emit *e, struct cpu_memos *memos,
                                        const struct cpu_position *p);
/* Returns the element. Forgets as much. */
struct cpu_element cpu_memo_keep(struct cpu_emit *e, struct cpu_memos *memos,
                                 const struct cpu_position *p, struct cpu_element element);
/* An elementwise op without memory on registers, all of one shape. */
LLVMValueRef cpu_elementwise(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef *operands);
struct cpu_element cpu_shape_element(struct cpu_emit *e, const struct ir_value *v,
                                     const struct cpu_position *position);
struct cpu_position cpu_operand_position(struct cpu_emit *e, const struct ir_op *op,
                                         const struct cpu_position *position);
/* A reshape that only adds or drops axes of 1. */
bool cpu_reshape_is_simple(const struct ir_op *op);
/* Whether the result's elements are the operand's, as they are, at cpu_operand_position. */
bool cpu_moves_elements(const struct ir_op *op);
/* v[i][j] and v[j][i] change places, for n vectors of n lanes. */
void cpu_transpose(struct cpu_emit *e, LLVMValueRef *v, int n);
/* The value below a chain of reshapes. */
const struct ir_value *cpu_reshape_source(const struct ir_op *op);

/* ---- memory.c, address.c */
struct cpu_element cpu_load(struct cpu_emit *e, const struct ir_op *op,
                            const struct cpu_position *position);
void cpu_store(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *position);
struct cpu_element cpu_buffer_read(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                   struct ir_type shape, const struct cpu_position *position);
/* A vector whose lanes fall by one element each, from the one at `index` on, which is of the tile.
 */
LLVMValueRef cpu_buffer_read_back(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                  LLVMValueRef index);
void cpu_buffer_write(struct cpu_emit *e, const struct cpu_buffer *buffer,
                      const struct cpu_position *position, struct cpu_element element);
/* Of an element that the present step reads; target: that it writes, as it does all others. */
LLVMValueRef cpu_buffer_pointer(struct cpu_emit *e, const struct cpu_buffer *buffer,
                                LLVMValueRef index);
LLVMValueRef cpu_buffer_target(struct cpu_emit *e, const struct cpu_buffer *buffer,
                               LLVMValueRef index);
LLVMValueRef cpu_gather(struct cpu_emit *e, struct ir_type type, LLVMValueRef pointers,
                        LLVMValueRef mask, LLVMValueRef other);
LLVMValueRef cpu_to_memory(struct cpu_emit *e, struct ir_type type, LLVMValueRef v);
LLVMValueRef cpu_from_memory(struct cpu_emit *e, struct ir_type type, LLVMValueRef v);
void cpu_atomic(struct cpu_emit *e, const struct ir_op *op, const struct cpu_position *position,
                const struct cpu_buffer *result);
LLVMValueRef cpu_atomic_scalar(struct cpu_emit *e, const struct ir_op *op);

bool cpu_store_address(struct cpu_emit *e, const struct ir_op *op,
                       const struct cpu_position *position, LLVMValueRef *pointer);

/* The address of the first lane, where the others' follow by a step. */
bool cpu_first_address(struct cpu_emit *e, const struct ir_op *op,
                       const struct cpu_position *position, LLVMValueRef *pointer);

/* Where the first element of a load of consecutive elements is, or NULL. */
LLVMValueRef cpu_load_origin(struct cpu_emit *e, const struct ir_op *op);

bool cpu_load_address(struct cpu_emit *e, const struct ir_op *op,
                      const struct cpu_position *position, LLVMValueRef *pointer);

/* Stores the lanes of the mask past the caches, one by one: integers of 4 or 8 bytes. */
void cpu_store_lanes_past(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer,
                          LLVMValueRef mask);

/* ---- stream.c */
void cpu_stream_begin(struct cpu_emit *e); /* before the body of a kernel */
void cpu_stream_end(struct cpu_emit *e);   /* before it returns */
/* Which nest of the region fetches ahead what the region loads. */
void cpu_stream_choose(struct cpu_emit *e, const struct cpu_schedule *schedule);
/* At the start of a body in a nest's interior: fetches what the next program will want, if this is
 * the nest for it. light: it computes little. */
void cpu_stream_ahead(struct cpu_emit *e, const struct cpu_position *position, bool light);
/* Whether stores of so many consecutive elements by the op may go past the caches. */
bool cpu_stream_may(struct cpu_emit *e, const struct ir_op *op, int lanes);
/* At a multiple of the value's size. */
void cpu_stream_store(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer);
/* The same of integers that were not converted just before. */
void cpu_stream_vector(struct cpu_emit *e, LLVMValueRef value, LLVMValueRef pointer);
/* Tells LLVM that a store leaves no line in the caches. */
void cpu_stream_mark(struct cpu_emit *e, LLVMValueRef store);
/* Before a nest that stores `bytes` in a row from `pointer` on: see stream.c. */
void cpu_stream_pages(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef pointer,
                      int64_t bytes);
/* Whether programs that stream had better not run side by side. */
bool cpu_stream_alone(const struct cpu_emit *e);
/* Whether what the next program loads may be loaded while this one computes, see lead.c. */
bool cpu_stream_leads(const struct cpu_emit *e);
/* Whether it is known how the processor likes to stream: then translations are fetched. */
bool cpu_stream_is_known(const struct cpu_emit *e);
/* And whether stores run one program behind where they can. */
bool cpu_stream_joins(const struct cpu_emit *e);

/* ---- pairs.c: how many lanes a nest in the order of pairs has (0: there are none for this target),
 * whether a nest may compute in it, given the masks that hold (NULL: as far as one can tell before);
 * the conversions */
int cpu_pair_lanes(const struct cpu_emit *e);
bool cpu_in_pairs(struct cpu_emit *e, const struct cpu_group *group,
                  const struct cpu_bounded *bounded, int bounded_count);
/* The same of two groups in one nest (behind.c), the second of the program before. */
bool cpu_in_pairs_behind(struct cpu_emit *e, struct cpu_group *const *groups,
                         const struct cpu_bounded *bounded, int bounded_count);
LLVMValueRef cpu_widen_pairs(struct cpu_emit *e, LLVMValueRef v);
LLVMValueRef cpu_narrow_pairs(struct cpu_emit *e, LLVMValueRef v, bool clean); /* see nans.h */

/* ---- once.c: makes tiles that are the same for every program, before the loop over programs. */
void cpu_make_once(struct cpu_emit *e);
/* Whether a value depends on parameters alone, in every program. */
bool cpu_is_fixed(struct cpu_emit *e, const struct ir_value *v);

/* ---- masks.c: between which places of the lane axis a mask certainly holds, and certainly does
 * not. */
struct cpu_span {
    LLVMValueRef from, to; /* empty where to <= from */
};
struct cpu_limits {
    struct cpu_span holds, fails;
    bool holds_exactly, fails_exactly; /* nor anywhere else */
};
struct cpu_bits {                       /* i ^ j, i | j or i & j of an index i, see along.h */
    const struct ir_value *cut, *index; /* i, as the operand and before it was cut to 32 bits */
    const struct ir_value *same;        /* j */
};
struct cpu_bounded { /* a mask, a view access (mask NULL), or a maximum, minimum, quotient,
                      * remainder or bits (as the mask), whose limits the nest honours */
    const struct ir_value *mask;
    const struct ir_op *view;
    struct cpu_position position;
    bool holds;                    /* the mask does in the interior, or does not */
    bool whole;                    /* whatever the position is */
    const struct ir_value *chosen; /* what a maximum or minimum is there */
    LLVMValueRef quotient; /* what a quotient, or bits at the run's start, are there, or NULL */
    LLVMValueRef multiple; /* what a remainder's dividend or bits' index is more; NULL: bits stay */
    struct cpu_bits bits;  /* index NULL: it is none */
    struct cpu_span within; /* where a mask or view access holds, and nowhere else; NULL: unknown */
    int program;            /* e->entered */
};
bool cpu_limits_of(struct cpu_emit *e, const struct ir_value *mask,
                   const struct cpu_position *position, int64_t size, struct cpu_limits *limits);
/* Where a maximum or minimum is the operand `chosen` (limits.holds). */
bool cpu_choice_limits(struct cpu_emit *e, const struct ir_op *op, const struct ir_value *chosen,
                       const struct cpu_position *position, int64_t size, struct cpu_limits *limits);
bool cpu_view_limits(struct cpu_emit *e, const struct ir_op *op,
                     const struct cpu_position *position, int64_t size, struct cpu_limits *limits);
/* Whether what is bounded holds between its limits and nowhere else, in the interior and outside.
 */
bool cpu_limits_hold(struct cpu_emit *e, const struct cpu_bounded *bounded,
                     const struct cpu_limits *limits);
/* From where on the mask certainly fails up to the end. */
LLVMValueRef cpu_fails_from(struct cpu_emit *e, const struct cpu_limits *limits, int64_t size);
/* to - from, at most the greatest and at least the least integer: a bound that far out is beyond
 * every index, and must not come back on the other side. */
LLVMValueRef cpu_distance(struct cpu_emit *e, LLVMValueRef from, LLVMValueRef to);
/* Where the ordered compare of x + step * l with y changes along the lanes, for a step of 1 or -1:
 * it holds for l < bound if *below, else for l >= bound. */
LLVMValueRef cpu_compare_bound(struct cpu_emit *e, enum ir_opcode code, int64_t step,
                               LLVMValueRef x, LLVMValueRef y, bool *below);
/* lanes l with l < bound, or l >= bound, for any 64-bit bound */
LLVMValueRef cpu_lanes_below(struct cpu_emit *e, LLVMValueRef bound);
/* The lanes behind `place`, of an axis of that size, that lie below a bound for all of the axis, or
 * from it on. The bound is cut before the place comes in, once for all vectors of a loop. */
LLVMValueRef cpu_lanes_of_axis(struct cpu_emit *e, LLVMValueRef bound, LLVMValueRef place,
                               int64_t size, bool below);
LLVMValueRef cpu_lanes_from(struct cpu_emit *e, LLVMValueRef bound);
/* Those of the vector at `index` that lie in the span. Lane l stands for place index + l, which is
 * less than 2^21. */
LLVMValueRef cpu_places_within(struct cpu_emit *e, struct cpu_span within, LLVMValueRef index);
/* The lanes of a mask or view access, where the nest knows between which places it holds: outside
 * of the interior. */
bool cpu_lanes_within(struct cpu_emit *e, const struct ir_value *mask, const struct ir_op *view,
                      const struct cpu_position *position, LLVMValueRef *lanes);
/* What the body knows of a mask, view access or choice, or NULL. */
const struct cpu_bounded *cpu_bounded_of(struct cpu_emit *e, const struct ir_value *mask,
                                         const struct ir_op *view,
                                         const struct cpu_position *position);

/* ---- together.c: programs side by side */
/* Schedules the kernel's body and decides how many programs run together (e->together). */
void cpu_together_plan(struct cpu_emit *e, struct ir_region *body, struct cpu_schedule **schedules);
/* Turns to one of them: its values and its place on the grid. */
void cpu_together_enter(struct cpu_emit *e, int program);
void cpu_together_emit(struct cpu_emit *e, struct cpu_schedule **schedules);

/* ---- behind.c: stores one program behind. Whether it is done; then the code of one round. */
bool cpu_behind_plan(struct cpu_emit *e, const struct cpu_schedule *schedule);
void cpu_behind_emit(struct cpu_emit *e, struct cpu_schedule **schedules);

/* ---- group.c, nest_lanes.c, survey.c, reduce.c, collective.c, dot.c, control.c */
int cpu_group_cost(struct cpu_emit *e, const struct cpu_group *group); /* see cost.h */
int cpu_group_lanes(struct cpu_emit *e, struct cpu_group *group);      /* of a vector in its nest */
/* One nest for as many programs as run together: they do the same group, or (behind.c) different
 * ones, of equal shape and lanes. */
void cpu_emit_group(struct cpu_emit *e, struct cpu_group *const *groups);
void cpu_emit_collective(struct cpu_emit *e, const struct ir_op *op, struct cpu_group *copy);
void cpu_emit_dot(struct cpu_emit *e, const struct ir_op *op, struct cpu_group *copy);
void cpu_emit_region(struct cpu_emit *e, struct ir_region *region, struct cpu_buffer **targets);
void cpu_emit_schedule(struct cpu_emit *e, struct cpu_schedule *schedule);
void cpu_scalar_op(struct cpu_emit *e, const struct ir_op *op);

/* ---- function.c: pieces of functions. A function starts without code behind its block of allocas;
 * `end` lets that block go on to `start`. Values: the func's, none made yet. */
void cpu_function_begin(struct cpu_emit *e, const struct ir_func *func, const char *symbol,
                        LLVMTypeRef type);
void cpu_function_values(struct cpu_emit *e, const struct ir_func *func);
void cpu_function_parameters(struct cpu_emit *e, const struct ir_func *func, LLVMValueRef array);
void cpu_function_end(struct cpu_emit *e, LLVMBasicBlockRef start);
/* Word `index` of an array of 64-bit words. */
LLVMValueRef cpu_word(struct cpu_emit *e, LLVMValueRef array, int index, LLVMTypeRef type);

/* ---- function.c: whole functions, as cpu.h describes them. Kernels and host functions must have
 * been numbered and their uses counted. */
struct cpu_kernel_facts { /* what a variant turned out to depend on */
    bool overlap_mattered, streaming_mattered;
};
struct cpu_kernel_facts cpu_emit_kernel(struct cpu_emit *e, const struct ir_func *func,
                                        unsigned variant, const char *symbol);
/* The function that runs a range of programs one after the other. */
LLVMValueRef cpu_emit_programs(struct cpu_emit *e, const struct ir_func *func, const char *symbol);
/* Stores the results one after the other; at_least: so many, the missing ones are 1. */
void cpu_emit_host(struct cpu_emit *e, const struct ir_func *func, const char *symbol,
                   int at_least);
void cpu_emit_require(struct cpu_emit *e, struct ir_func *const *conditions, int count,
                      const char *symbol);

#endif
