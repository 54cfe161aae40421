#ifndef TILEC_BENCH_BENCH_H
#define TILEC_BENCH_BENCH_H
/* What the parts of the benchmark program share. */
#include "tilec/tilec.h"

#include <jansson.h>

struct bench {
    tilec_context *context; /* with an empty cache directory of its own */
    double budget;          /* seconds per case */
    json_t *results;        /* object: part -> array of rows */
    const char *only;       /* cases whose name has this text; NULL: all (not of overheads) */
    size_t offset;          /* bytes from a cache line to where the rows' arrays begin */
    const char *tilec;      /* the command, for the timing of whole processes; or NULL */
};

/* A row for the JSON file; takes the reference. */
void bench_add(struct bench *bench, const char *part, json_t *row);
/* Ends the program with the diagnostics when status is not TILEC_OK. */
void bench_check(tilec_context *context, tilec_status status);
_Noreturn void bench_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

void bench_rows(struct bench *bench);      /* rows.c */
void bench_products(struct bench *bench);  /* products.c */
void bench_attention(struct bench *bench); /* attention.c */
void bench_pictures(struct bench *bench);  /* pictures.c */
void bench_everyday(struct bench *bench);  /* everyday.c */
void bench_overheads(struct bench *bench); /* overheads.c */
void bench_compiles(struct bench *bench);  /* compiles.c */

#endif
