#ifndef TILEC_RUN_METAL_H
#define TILEC_RUN_METAL_H
/*
 * Programs that are Metal source: ours from a build, or anybody's. What a launch needs to know
 * comes from a launch export (docs/metal.md), from an entry of a record, or from the source itself.
 * Such a program has an ir_kernel without code: parameters, grid and requirements.
 */
#include "run/run.h"

struct metal_program {
    const char *source;
    size_t source_length;
    const char *function;
    uint32_t threads[3];
    bool trusted;
    int *buffers;                   /* by parameter, then by uniform: its place in [[buffer(n)]] */
    const struct ir_func *prologue; /* computes the uniforms; NULL: there are none */
};

/* Reads program->file (a source, or JSON that has one) and the launch export into program->metal
 * and program->ir. False with errors in program->diagnostics. Runs inside the arena's guard. */
bool metal_read(tilec_program *program, const tilec_source *source);

/* job->ir for a program of Metal source, with the options' grid. */
bool metal_lower(struct run_job *job);

/* ---- host_expression.c ----------------------------------------------------------------------- */

struct metal_scalars { /* of the kernel, in order */
    int count;
    struct ir_parameter *items;
};

/* Host function of the values in text, separated by commas: exactly `most` of the elements wanted,
 * or, where that is NULL, up to so many of 64 bits. NULL, and what is wrong with the text in *why.
 */
struct ir_func *metal_expressions(struct arena *arena, const struct metal_scalars *scalars,
                                  const char *text, int most, const enum ir_elem *wanted,
                                  const char **why);

#endif
