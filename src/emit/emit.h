#ifndef TILEC_EMIT_EMIT_H
#define TILEC_EMIT_EMIT_H
/*
 * Source text from GPU IR. One walker (emit.c, kernel.c) prints every C-like target; a dialect says
 * how that target spells types, ops and the helper functions that some ops need.
 *
 * The text has one statement per op and the control flow of the IR. Nothing is decided here: what
 * should be better must be better in the IR.
 */
#include "gpu/gpu.h"

/* Elements for which a spelling holds. */
enum emit_kinds {
    EMIT_BOOL = 1 << 0,
    EMIT_SIGNED = 1 << 1,
    EMIT_UNSIGNED = 1 << 2,
    EMIT_F32 = 1 << 3,
    EMIT_F16 = 1 << 4,
    EMIT_BF16 = 1 << 5,
    EMIT_F64 = 1 << 6,
};

/*
 * How an op is written. Where f16 or bf16 has no row of its own, f32's is taken: operands are
 * widened to float and a result is rounded back.
 *
 * In the text:  $0 $1 $2  operands                   $t  the result's type
 *               $w  unsigned type of operand 0's width, of 32 bits at least
 *               $m  operand 0's width - 1            $n  the number attribute
 *               $a  the axis attribute, x y z        $k  elements of the accessed vector
 *               $q  memory that operand 0 points to  $p  type of the accessed vector in memory
 *               $s  that memory as part of a name
 *               $r  the result's variable            $c  whether a fragment's columns lie in memory
 *               $f  an operand that may be left out, as a further argument
 *               $R  the second result's              $e  the type of the result's elements
 *               @x  the helper x, which is then put in front of the kernel
 *
 * Texts of fragment ops are statements that set $r, which is declared in front of them.
 */
struct emit_spelling {
    int code;
    unsigned kinds;
    bool vectors; /* holds for vectors as a whole; else it is written out for each element */
    const char *text;
};

struct emit_helper {
    const char *name; /* called PREFIX_name */
    const char *text; /* may use @x; @@ is one @ */
};

/* For ops that ask where the thread stands: a parameter that the device fills in, or a statement
 * at the start of the kernel (`text` ends with a semicolon). */
struct emit_position {
    int code;
    const char *text;
};

struct emitter;

struct emit_dialect {
    const char *name;
    const char *elems[IR_ELEM_COUNT]; /* NULL: the target has no such element */
    const char *spaces[2];            /* of pointers, by enum ir_space; "": not said */
    const char *space_names[2];       /* in names of functions; NULL: none uses them */
    const char *shared;               /* in front of an array that a program's threads share */
    const char *table;                /* in front of an array of constants, outside of the kernel */
    /* Arrays of more bytes together lie in one array whose size the launch sets; 0: never. */
    int static_shared_bytes;
    const char *barriers[IR_SCOPE_COUNT];
    const char *numbered_barrier; /* %d: which; of all threads; NULL: barriers have no numbers */
    /* Helpers that convert an element from and to float. NULL: its type's name converts. With them
     * values are carried as their bits. */
    const char *widen[IR_ELEM_COUNT], *narrow[IR_ELEM_COUNT];
    /* The type of a fragment, or NULL where the target has none such; "@fragment...": the helper of
     * that name. And a lane's element k of one. */
    const char *(*fragment_type)(struct ir_type type, struct arena *arena);
    const char *fragment_element;  /* "%s ... %d" */
    /* The statement that starts a product of a team of SIMD groups, whose results are variables
     * that hold the sums already, and a helper that takes one when it has ended; NULL: there are
     * none. */
    const char *(*start_product)(struct emitter *e, const struct ir_op *op);
    const char *settle;
    const char *half_bits; /* a helper for those of a half or bfloat as an integer; NULL: none is needed */
    /* Helpers that convert whole vectors from float, which is faster; NULL: there is none. */
    const char *narrow_vector[IR_ELEM_COUNT];
    const char *vector;            /* a vector's type: %s element, %d elements */
    const char *packed_vector;     /* likewise, aligned to its elements only */
    const char *const *components; /* behind a vector, by element */
    bool converts_vectors;         /* a vector type's name converts from other vectors */
    int most_lanes;                /* of a vector */
    int most_parameters;
    unsigned atomic_bits;        /* sizes of elements that have atomic operations, added up */
    const char *const *reserved; /* words that cannot name a kernel; NULL ends them */
    bool always_suffixed;        /* "_kernel" stands behind every kernel's name */
    const struct emit_spelling *spellings;
    size_t spelling_count;
    const struct emit_helper *helpers;
    size_t helper_count;
    const struct emit_position *positions;
    size_t position_count;
    const char *head;      /* what every source starts with */
    const char *options[2]; /* in front of it, of kernels without and with fragments; or NULL */
    const char *attribute; /* the line in front of the kernel's name; %d: threads of a block */
    /* Instead, where so many (the second %d) must fit a multiprocessor at once; NULL: as above. */
    const char *crowded_attribute;
    /* Of programs that several blocks run; NULL: the target has none such. The attribute stands behind
     * the other, %d: blocks. In positions $b is blocks, $d threads of a block. */
    const char *cluster_attribute;
    const struct emit_position *cluster_positions;
    /* Of blocks that run several programs: where a thread stands, what stands in front of that ($k
     * programs of a block, $d threads of a program, $p programs in all along x), and a barrier of
     * the program's threads alone (%d: how many). NULL: the target has none such. */
    const struct emit_position *part_positions;
    const char *part_start, *part_barrier;
    const char *array, *scalar; /* a parameter: %s type, %s name, %d its place */
    const char *restrict_array; /* likewise, of an array declared restrict */
    /* Helpers "load<type>(pointer, mask, other)" and "store(pointer, value, mask)" that access device
     * memory by one instruction; NULL: branches do. */
    const char *predicated_load, *predicated_store;
    /* A helper through which a loop starts where the compiler cannot be shown how far it may go;
     * NULL: none is needed. */
    const char *loop_start;
    const char *start;          /* in front of the first op that touches memory or other threads */
    const char *release;        /* behind what a program loads before its threads meet or write */
    const char *late_release;   /* likewise, of a launch's last programs alone */
};

extern const struct emit_dialect emit_msl, emit_cuda;

/* Appends the source of a kernel. False, with errors that name the limit, where the target has no
 * way to say it. Uses value->data. */
bool emit_kernel(const struct gpu_kernel *kernel, const struct emit_dialect *dialect,
                 struct text *out, struct diagnostics *diagnostics);

/* Bytes of shared memory that a launch of that source must give; 0: what it needs, it has. */
int emit_dynamic_shared(const struct gpu_kernel *kernel, const struct emit_dialect *dialect);

/* The name of the function in that source. */
const char *emit_function_name(const struct gpu_kernel *kernel, const struct emit_dialect *dialect,
                               struct arena *arena);

#endif
