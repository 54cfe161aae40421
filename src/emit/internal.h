#ifndef TILEC_EMIT_INTERNAL_H
#define TILEC_EMIT_INTERNAL_H
/* What the files of emit/ share: text of values (value.c), of ops (spell.c), of regions (emit.c, with
 * emit_memory.c and emit_fragment.c) and of what stands around them (kernel.c). */
#include "emit/emit.h"

struct emitter {
    const struct emit_dialect *dialect;
    struct ir_func *func;
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct text body;
    int depth;       /* of braces */
    int copies;      /* variables made for copies */
    bool dynamic;    /* arrays of the program's threads lie in tilec_shared */
    int shared;      /* bytes of it that are taken */
    int alignment;   /* of it */
    bool plain_loads; /* no array is said to be only read */
    int parts;        /* programs of a block; 1 usually */
    int part_bytes;   /* of tilec_shared that each has */
    int part_threads;
    int barrier;             /* the number of all of the program's barriers; 0: they have none */
    bool *used;              /* by helper */
    bool *positions;         /* those that some op asks for */
    const bool *reads;       /* by parameter: the kernel may read what it points to */
    bool overlaps;           /* launches may, so that the dialect's start is needed */
    bool started;            /* it stands */
    bool predicates;         /* accesses with masks are single instructions, outside loops */
    struct ir_tables tables; /* of constants, each once */
    const struct ir_op *release; /* in front of which the dialect's stands */
    bool late;                   /* it is that of the last programs alone */
    bool failed;
};

enum { EMIT_WHOLE = -1 }; /* a value as it is, instead of one element of a vector */

/* Adds an error at the op (NULL: the function) and returns false. */
bool emit_fail(struct emitter *e, const struct ir_op *op, const char *message, const char *hint);

/* ---- emit.c ---------------------------------------------------------------------------------- */

/* The statements of the region's ops. */
void emit_region(struct emitter *e, const struct ir_region *region);
void emit_line(struct emitter *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* `float x_1`, ready for what it is set to. */
const char *emit_declaration(struct emitter *e, const struct ir_value *value);
/* A line that declares the value's variable and sets it to the text. */
void emit_define(struct emitter *e, struct ir_value *value, const char *text);
/* `float4(a, b, c, d)`, of each element's text. */
const char *emit_vector(struct emitter *e, const struct ir_op *op,
                        const char *(*element)(struct emitter *e, const struct ir_op *op, int k));

/* ---- emit_memory.c --------------------------------------------------------------------------- */

void emit_load(struct emitter *e, const struct ir_op *op);
void emit_store(struct emitter *e, const struct ir_op *op);
void emit_atomic(struct emitter *e, const struct ir_op *op);
void emit_shared(struct emitter *e, const struct ir_op *op);
/* Bytes that a threadgroup array is aligned to. */
int emit_alignment(const struct ir_op *op);
int64_t emit_round_up(int64_t bytes, int alignment);

/* ---- emit_fragment.c ------------------------------------------------------------------------- */

void emit_fragment(struct emitter *e, const struct ir_op *op);
void emit_team(struct emitter *e, const struct ir_op *op);

/* ---- value.c --------------------------------------------------------------------------------- */

/* "float4", "device float *" */
const char *emit_type(struct emitter *e, struct ir_type type);
/* Gives the value its variable. */
const char *emit_name(struct emitter *e, struct ir_value *value);
const char *emit_literal(struct emitter *e, enum ir_elem elem, uint64_t bits);
/* The value, or one element of it; that of a scalar is the scalar. */
const char *emit_operand(struct emitter *e, const struct ir_value *value, int element);

/* ---- spell.c --------------------------------------------------------------------------------- */

/* The name of a helper, which is marked as used with those that it calls. */
const char *emit_helper(struct emitter *e, const char *name);
/* Those that are used, in front of the kernel. */
void emit_print_helpers(struct emitter *e, struct text *out);
/* Whether the op on vectors is spelt like that on scalars. */
bool emit_is_whole(struct emitter *e, const struct ir_op *op);
/* The op's expression, for whole values or for one element. */
const char *emit_spell(struct emitter *e, const struct ir_op *op, int element);

/* ---- table.c --------------------------------------------------------------------------------- */

/* The function's tables, in front of the kernel. */
void emit_print_tables(struct emitter *e, struct text *out);
/* The expression of a lookup, or of one of its elements. */
const char *emit_lookup(struct emitter *e, const struct ir_op *op, int element);

/* ---- cuda_team.c ----------------------------------------------------------------------------- */

const char *emit_cuda_start_product(struct emitter *e, const struct ir_op *op);

#endif
