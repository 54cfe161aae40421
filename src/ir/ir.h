#ifndef TILEC_IR_IR_H
#define TILEC_IR_IR_H
/*
 * Tile IR: what a kernel means, as SSA over shaped values with structured regions.
 *
 * No threads, no memory spaces, no implicit broadcasting: elementwise ops take operands of one
 * shape. All of a function lives in one arena. Ops stand in doubly linked lists in regions; a value
 * is an op's result or a region's argument. A region may use values of the regions around it that
 * are defined before.
 */
#include "base/diagnostics.h"
#include "ir/type.h"

enum ir_opcode {
#define OP(code, name, least, most, attribute, rule, flags, meaning) IR_OP_##code,
#include "ir/ops.def"
#undef OP
};
enum { IR_OP_COUNT = IR_OP_PRINT + 1 };

/* The ops that only GPU IR has; an ir_op's code may be one of them. A switch over an op of GPU IR
 * casts the code to int. */
enum gpu_opcode {
    GPU_OP_BEFORE = IR_OP_COUNT - 1,
#define OP(code, name, least, most, attribute, rule, flags, meaning) GPU_OP_##code,
#include "ir/gpu_ops.def"
#undef OP
    GPU_OP_END
};

/* Which ops and types are allowed. */
enum ir_level { IR_LEVEL_TILE, IR_LEVEL_GPU };

enum ir_attribute {
    IR_ATTRIBUTE_NONE,
    IR_ATTRIBUTE_BITS,        /* attributes.bits */
    IR_ATTRIBUTE_AXIS,        /* .axis */
    IR_ATTRIBUTE_RANGE,       /* .begin, .end, .layout (or NULL) */
    IR_ATTRIBUTE_PERMUTATION, /* .permutation */
    IR_ATTRIBUTE_SCAN,        /* .axis, .exclusive */
    IR_ATTRIBUTE_VIEW,        /* .view_rank */
    IR_ATTRIBUTE_LAYOUT,      /* .layout */
    IR_ATTRIBUTE_TABLE,       /* .table */
    IR_ATTRIBUTE_TEXT,        /* .text */
    IR_ATTRIBUTE_NUMBER,      /* .number */
    IR_ATTRIBUTE_SHARED,      /* .text, .number (elements), .padding, .aligned */
    IR_ATTRIBUTE_SCOPE,       /* .scope */
    IR_ATTRIBUTE_ALIGNMENT,   /* .aligned */
    IR_ATTRIBUTE_ORDER,       /* .columns */
    IR_ATTRIBUTE_MATRICES,    /* .matrices */
};

enum ir_rule {
    IR_RULE_LIKE_FIRST,
    IR_RULE_COMPARE,
    IR_RULE_TEST,
    IR_RULE_SELECT,
    IR_RULE_CAST,
    IR_RULE_BITCAST,
    IR_RULE_ADDRESS,
    IR_RULE_SPECIAL,
};

enum ir_flags {
    IR_PURE = 1 << 0,
    IR_ELEMENTWISE = 1 << 1,
    IR_COMMUTES = 1 << 2,
    IR_APPROX = 1 << 3,
    IR_READS = 1 << 4,
    IR_WRITES = 1 << 5,
    IR_REGION = 1 << 6,
    IR_TERMINATOR = 1 << 7,
    IR_INTEGER = 1 << 8,
    IR_FLOAT = 1 << 9,
    IR_NUMERIC = 1 << 10,
    IR_LOGIC = 1 << 11,
    IR_MOVES = 1 << 12,
};

/* Limits that the reader and the verifier enforce, so that every stage may recurse over regions and
 * count in int. IR_MAX_BLOCKS, for what is given (C and Tile IR), is below IR_MAX_DEPTH, for what
 * passes put around or into them, and below the 256 brackets inside each other that clang and so
 * Metal's compiler take. */
enum {
#ifdef TILEC_TINY_LIMITS
    IR_MAX_BLOCKS = 8,
    IR_MAX_DEPTH = 12,
    IR_MAX_OPS = 1 << 15, /* tests of GPU code need so many */
    IR_MAX_OPERANDS = 64,
    IR_MAX_TABLE = 512,
#else
    IR_MAX_BLOCKS = 240,    /* regions inside a kernel's body and each other, as it is given */
    IR_MAX_DEPTH = 256,     /* regions inside each other, the body counted */
    IR_MAX_OPS = 1 << 20,   /* in a function */
    IR_MAX_OPERANDS = 4096, /* of an op; results, parameters likewise */
    IR_MAX_TABLE = 4096,    /* elements */
#endif
    IR_MAX_LAYOUT_BITS = 20,
};

struct ir_op_info {
    const char *name;
    int least, most; /* operands; most -1: any number */
    enum ir_attribute attribute;
    enum ir_rule rule;
    unsigned flags;
    const char *meaning;
};

extern const struct ir_op_info ir_ops[GPU_OP_END];

/* Who meets at a barrier, and which memory it makes visible. */
enum ir_scope {
    IR_SCOPE_THREADGROUP, /* all threads of the program; threadgroup memory */
    IR_SCOPE_DEVICE,      /* likewise; device memory too */
    IR_SCOPE_GROUP,       /* the lanes of a SIMD group; threadgroup memory */
};
enum { IR_SCOPE_COUNT = IR_SCOPE_GROUP + 1 };

extern const char *const ir_scope_names[IR_SCOPE_COUNT]; /* as printed */

/* An explicit layout of the language: which thread and register own which element (gpu-ir.md). */
struct ir_layout {
    const char *name; /* as declared */
    int bits;         /* log2 of the elements */
    uint8_t bit_order[IR_MAX_LAYOUT_BITS];
    uint32_t xor_mask;
    int per_thread;
};

/* Constants that lookups choose from. Ops share one; its name tells it from others to readers only.
 */
struct ir_table {
    const char *name; /* or NULL */
    enum ir_elem elem;
    int count;            /* 1 to IR_MAX_TABLE */
    const uint64_t *bits; /* of each element, as a constant's */
};

/* How a matrix stands in threadgroup memory: its rows (or columns) in panels one behind the other,
 * each of which has so many elements of every row, and so many in all. */
struct ir_matrix {
    bool columns;
    int row;
    int64_t panel;
};

struct ir_attributes {
    uint64_t bits;      /* constant: the element's bits, zero-extended; bool 0 or 1 */
    int64_t begin, end; /* arange */
    int axis;           /* program_id, num_programs, gather, reductions (-1: all), scans */
    bool exclusive;
    int view_rank; /* extents, strides and indices of view_load and view_store */
    uint8_t permutation[IR_MAX_RANK];
    const struct ir_layout *layout;
    const struct ir_table *table;
    const char *text;
    /* of GPU ops only */
    int64_t number;  /* a lane mask or distance, an element's place, a count of elements */
    int64_t padding; /* shared: further elements */
    enum ir_scope scope;
    bool aligned; /* shared: to a multiple of 1024 bytes */
    bool columns; /* a fragment's columns lie in memory, one behind the other; else its rows */
    struct ir_matrix matrices[2]; /* that are multiplied */
};

struct ir_value {
    struct ir_type type;
    struct ir_op *op;         /* whose result it is, or NULL: a region's argument */
    struct ir_region *region; /* for an argument: of which region */
    int index;                /* among the results or arguments */
    const char *name;         /* a hint for readers, or NULL; no meaning hangs on it */
    int id;                   /* set by ir_number */
    int uses;                 /* set by ir_count_uses */
    struct ir_value *replaced_by; /* see ir_replace */
    int64_t mark;             /* scratch for the pass that runs; no meaning between passes */
    void *data;               /* likewise */
};

/* What every walk reads stands first, in 64 bytes: walks wait for memory, not for the processor. */
struct ir_op {
    enum ir_opcode code;
    int operand_count, result_count, region_count;
    struct ir_value **operands;
    struct ir_value **results;
    struct ir_region **regions;
    struct ir_op *previous, *next;
    struct ir_region *parent; /* NULL once removed */
    int64_t mark;             /* as in ir_value */
    void *data;
    struct source_range range;
    struct ir_attributes attributes;
};

static inline bool ir_has(const struct ir_op *op, unsigned flags)
{
    return (ir_ops[op->code].flags & flags) == flags;
}

static inline bool ir_is_comparison(enum ir_opcode code)
{
    return ir_ops[code].rule == IR_RULE_COMPARE;
}

/* lt le gt ge: the comparisons whose operands may not change places. */
static inline bool ir_is_ordering(enum ir_opcode code)
{
    return ir_is_comparison(code) && !(ir_ops[code].flags & IR_COMMUTES);
}

/* Each element of the result is one of the operand's. */
static inline bool ir_shows_operand(const struct ir_op *op)
{
    return op->code == IR_OP_CONVERT_LAYOUT ||
           (ir_has(op, IR_MOVES) && op->operand_count == 1 && op->result_count == 1);
}

/* What accesses memory by element and both reads and writes it. */
static inline bool ir_is_atomic(const struct ir_op *op)
{
    return ir_has(op, IR_READS | IR_WRITES | IR_ELEMENTWISE);
}

static inline bool ir_is_load(const struct ir_op *op) /* of Tile IR */
{
    return op->code == IR_OP_LOAD || op->code == IR_OP_VIEW_LOAD;
}

struct ir_region {
    int argument_count;
    struct ir_value **arguments;
    struct ir_op *first, *last; /* last is the terminator in a finished region */
    struct ir_op *parent;       /* NULL: a function's body */
};

struct ir_parameter {
    const char *name;
    struct ir_type type; /* scalar or pointer, rank 0 */
    bool is_const, is_restrict;
    bool is_fixed;  /* a scalar that has the same value at every launch: */
    uint64_t fixed; /* its bits, as a constant's */
    struct source_range range;
};

struct ir_func {
    struct arena *arena;
    const char *name;
    struct source_range range;
    int parameter_count;
    struct ir_parameter *parameters; /* body->arguments[i] is the value of parameters[i] */
    struct ir_region *body;
    /* Host functions (grids, launch requirements) have scalar results and no memory or tiles. */
    int result_count;
    struct ir_type *results;
    int64_t made; /* ops so far, those that were removed among them */
};

/* launch_require(KERNEL, condition, "text") */
struct ir_launch_require {
    struct ir_func *condition; /* host function: kernel's scalars -> bool */
    const char *text;
    struct source_range range; /* of the line; file NULL: none is known */
};

/* require(KERNEL, name = value, ...); checked by plan/. Values: an integer or an identifier. */
struct ir_requirement {
    const char *name;
    const char *word; /* or NULL */
    int64_t number;
    struct source_range range;
};

/* A kernel with its compile-time constants folded in. Pointer parameters of host functions are
 * left out: a host function's parameters are the kernel's scalar parameters, in order. */
struct ir_kernel {
    struct ir_func *func;
    struct ir_func *grid; /* host function: -> 1 to 3 i64; NULL without launch_grid */
    /* Host function made by plan/bounds.c, never read or printed: scalars and the grid's three
     * sizes (i64) -> per pointer parameter, in order, an i64: elements that the buffer must have at
     * least for what certainly happens. NULL: not made. */
    struct ir_func *needs;
    int require_count;
    struct ir_launch_require *launch_requires;
    int requirement_count;
    struct ir_requirement *requirements;
};

/* ---- building (builder.c) ------------------------------------------------------------------ */

struct ir_builder {
    struct ir_func *func;
    struct ir_region *region; /* where new ops go */
    struct ir_op *before;     /* in front of this one; NULL: at the end */
    struct source_range range; /* given to new ops */
};

struct ir_func *ir_func_new(struct arena *arena, const char *name, int parameter_count,
                            const struct ir_parameter *parameters);
struct ir_region *ir_region_new(struct ir_func *func, struct ir_op *parent);
struct ir_value *ir_region_add_argument(struct ir_func *func, struct ir_region *region,
                                        struct ir_type type, const char *name);

/* An op in no list yet, whose operands and results' types are to be set; regions are empty. */
struct ir_op *ir_op_new(struct ir_func *func, enum ir_opcode code, int operand_count,
                        int result_count, int region_count);
/* The general form: an op with result_count results of the given types; regions are empty. */
struct ir_op *ir_build(struct ir_builder *b, enum ir_opcode code, int operand_count,
                       struct ir_value *const *operands, int result_count,
                       const struct ir_type *results, int region_count,
                       const struct ir_attributes *attributes);

/* One result whose type follows from the op's rule (LIKE_FIRST, COMPARE, TEST, SELECT, ADDRESS). */
struct ir_value *ir_unary(struct ir_builder *b, enum ir_opcode code, struct ir_value *a);
struct ir_value *ir_binary(struct ir_builder *b, enum ir_opcode code, struct ir_value *x,
                           struct ir_value *y);
struct ir_value *ir_ternary(struct ir_builder *b, enum ir_opcode code, struct ir_value *x,
                            struct ir_value *y, struct ir_value *z);
struct ir_value *ir_constant(struct ir_builder *b, struct ir_type type, uint64_t bits);
struct ir_value *ir_constant_i64(struct ir_builder *b, int64_t value);
struct ir_value *ir_cast(struct ir_builder *b, struct ir_value *v, enum ir_elem elem); /* v itself if equal */
/* The same bits as another element of as many. */
struct ir_value *ir_bitcast(struct ir_builder *b, struct ir_value *v, enum ir_elem elem);
struct ir_value *ir_broadcast(struct ir_builder *b, struct ir_value *v, struct ir_type shape); /* v itself if equal */
struct ir_value *ir_reshape(struct ir_builder *b, struct ir_value *v, struct ir_type shape);
struct ir_value *ir_arange(struct ir_builder *b, int64_t begin, int64_t end);
/* Reductions: axis -1 over everything. Result type follows (argmax: i64; any, all: bool). */
struct ir_value *ir_reduce(struct ir_builder *b, enum ir_opcode code, struct ir_value *v, int axis);
/* mask and other NULL: none */
struct ir_value *ir_load(struct ir_builder *b, struct ir_value *pointer, struct ir_value *mask,
                         struct ir_value *other);
void ir_store(struct ir_builder *b, struct ir_value *pointer, struct ir_value *value,
              struct ir_value *mask);

/* The table's elements at these indices. */
struct ir_value *ir_lookup(struct ir_builder *b, const struct ir_table *table,
                           struct ir_value *index);

/* ---- tables (table.c) ----------------------------------------------------------------------- */

bool ir_table_equal(const struct ir_table *a, const struct ir_table *b); /* but for the names */
uint64_t ir_table_hash(const struct ir_table *table); /* that of equal ones is equal */

struct ir_tables {
    const struct ir_table **items;
    size_t count, capacity;
};

/* The function's tables, each once, in the order in which the ops name them; merge: equal ones are
 * one, that which comes first. */
struct ir_tables ir_tables_of(struct ir_func *func, struct arena *arena, bool merge);
/* The one of the list that is the table, or (merged) equals it. */
size_t ir_table_place(const struct ir_tables *tables, const struct ir_table *table);

/* ---- the list of ops (builder.c) ------------------------------------------------------------ */

void ir_insert(struct ir_op *op, struct ir_region *region, struct ir_op *before);
void ir_remove(struct ir_op *op); /* unlinks; its results must have no uses left */
void ir_move_before(struct ir_op *op, struct ir_op *before);

/* ---- walks over a function (walk.c) --------------------------------------------------------- */

/* Calls visit for each op, regions after their op; stops early when visit returns false. */
bool ir_walk(struct ir_region *region, bool (*visit)(struct ir_op *op, void *user), void *user);
/* Notes that old is to be replaced; ir_apply_replacements rewrites all operands in one walk. */
void ir_replace(struct ir_value *old, struct ir_value *new_value);
/* What stands for the value now: itself, or the end of its chain of replacements. */
struct ir_value *ir_current(struct ir_value *value);
void ir_apply_replacements(struct ir_func *func);
void ir_count_uses(struct ir_func *func);
/* Counts uses, and notes in each value's data the last op that uses it. */
void ir_note_users(struct ir_func *func);
/* The op that alone uses the value, once, as ir_note_users found; or NULL. */
struct ir_op *ir_noted_user(const struct ir_value *value);
/* The same without notes: the op in the region, or in regions within it, whose one operand is the
 * value that no other operand there is; or NULL. */
struct ir_op *ir_only_user(const struct ir_region *region, const struct ir_value *value);
bool ir_is_used_once(const struct ir_region *region, const struct ir_value *value);
/* Sets data to NULL in the values that the ops of a region define: their results and the arguments
 * of their own regions, at every depth. The region's own arguments stay. */
void ir_clear_data(struct ir_region *region);
/* Sets mark to 0 in every value of the function. */
void ir_clear_marks(const struct ir_func *func);

/* Of the region and of all regions in it: arguments and results. */
int ir_value_count(const struct ir_region *region);
void ir_number(struct ir_func *func); /* gives all values ids, in order of printing */

/* ---- copies (clone.c) ----------------------------------------------------------------------- */

/* Copies the ops of a region into the builder's place. map: value->data of the source's values is
 * used to find copies; the caller sets data of the region's arguments first. The terminator is not
 * copied; operand k of the terminator, mapped, is returned in results[k] (NULL: not wanted). */
void ir_clone_region(struct ir_builder *b, const struct ir_region *region,
                     struct ir_value **results);
struct ir_func *ir_func_clone(struct arena *arena, const struct ir_func *func);

/* ---- what a value is made from (origin.c) --------------------------------------------------- */

/* The constant that all elements of v are, through broadcasts and reshapes; false when it is none.
 */
bool ir_constant_bits(const struct ir_value *v, uint64_t *bits);
bool ir_constant_int(const struct ir_value *v, int64_t *value); /* sign- or zero-extended */
bool ir_is_int(const struct ir_value *v, int64_t number);       /* such a constant */
/* The scalar parameter that all of a pointer value's addresses come from, or NULL. */
const struct ir_value *ir_pointer_root(const struct ir_value *v);
/* Of an access through pointers: its mask among the operands, or -1 and NULL: it has none. */
int ir_mask_place(const struct ir_op *op);
struct ir_value *ir_mask_of(const struct ir_op *op);
/* By parameter: whether the function may read what it points to. A pointer whose parameter is not
 * seen may be any of them; threadgroup memory is none. */
const bool *ir_reads(struct arena *arena, const struct ir_func *func);

/* ---- text (print.c, read.c), checks (verify.c) ---------------------------------------------- */

/* Deterministic. Numbers the function's values (ids), and changes nothing else. */
void ir_print(const struct ir_func *func, struct text *out);
/* The names of values in that text, by id. Numbers the values too. */
const char **ir_names(const struct ir_func *func, struct arena *arena, int *count);
void ir_kernel_print(const struct ir_kernel *kernel, struct text *out); /* kernel, grid, requires */

/* Reads exactly what ir_print prints, and verifies it; NULL and diagnostics on bad text. Hostile
 * input is fine. */
struct ir_func *ir_read(struct arena *arena, struct diagnostics *diagnostics,
                        const struct source_file *file);
struct ir_kernel *ir_kernel_read(struct arena *arena, struct diagnostics *diagnostics,
                                 const struct source_file *file);

/* Adds an error for each broken rule and returns false; never trusts the IR that it reads. Numbers
 * the function's values. */
bool ir_verify(const struct ir_func *func, struct diagnostics *diagnostics);
/* GPU IR by what it has in common with Tile IR: structure, visibility, the rules of shared ops; the
 * rest is src/gpu/verify.c's. For IR_LEVEL_TILE they are ir_verify and ir_read. */
bool ir_verify_level(const struct ir_func *func, enum ir_level level,
                     struct diagnostics *diagnostics);
struct ir_func *ir_read_level(struct arena *arena, struct diagnostics *diagnostics,
                              const struct source_file *file, enum ir_level level);
/* The kernel, its host functions, and that their parameters and results fit together. */
bool ir_kernel_verify(const struct ir_kernel *kernel, struct diagnostics *diagnostics);

#endif
