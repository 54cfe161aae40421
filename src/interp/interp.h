#ifndef TILEC_INTERP_INTERP_H
#define TILEC_INTERP_INTERP_H
/*
 * The reference interpreter: executes Tile IR and is the definition of the language.
 *
 * Reports, as diagnostics at the kernel's source line with program id and element: access outside
 * every buffer, read of an element nobody wrote, two programs writing one element (or one reading
 * what another writes), signed overflow, division by zero, oversized shift, null or unaligned
 * buffer, overlapping restrict buffers, failed tile_assert.
 */
#include "ir/ir.h"

struct interp_argument { /* one per parameter of the function */
    uint64_t bits;       /* a scalar's element bits */
    void *data;          /* a buffer's first element; NULL with elements 0 is fine */
    int64_t elements;    /* in the buffer; -1: unknown, no bounds check */
    const uint8_t *initialised; /* one byte per element, 0 = never written; NULL: all are */
};

struct interp_options {
    int64_t grid[3];
    bool check;             /* faults are errors; else the defined result and no report */
    int64_t step_limit;     /* ops executed at most; 0: no limit; beyond is an error */
    int max_reports;        /* reports of one kind at one place are merged; 0: 20 */
    void (*print)(void *user, const char *text, size_t length); /* tile_print, or NULL */
    void *user;
    struct interp_bound *bounds; /* or NULL */
};

/* Optional: how far another target may differ, from absolute sums (sum, prod, cumsum, dot and
 * approximate functions). For each pointer argument an array of double, one per element, which the
 * interpreter fills with the absolute error allowed for what is stored there (0: exact). */
struct interp_bound {
    double *allowed; /* per element of the argument's buffer, or NULL */
};

/* Runs every program of the grid. arena: for scratch. False: a fault was reported. */
bool interp_run(const struct ir_func *func, const struct interp_argument *arguments,
                const struct interp_options *options, struct arena *arena,
                struct diagnostics *diagnostics);

/* Evaluates a host function (grid, launch requirement). */
bool interp_host(const struct ir_func *func, const uint64_t *arguments, uint64_t *results,
                 struct arena *arena, struct diagnostics *diagnostics);

#endif
