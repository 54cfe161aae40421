#ifndef TILEC_LAB_RUN_RECORD_H
#define TILEC_LAB_RUN_RECORD_H
/* What was measured, as JSON in the terms of docs/lab.md. Objects are new references; NULL when
 * memory ran out, which jansson's setters pass on. */
#include "lab/measure.h"
#include "lab/call.h"
#include "lab/ready.h"

#include <jansson.h>


/* Date, machine, compiler, experiment: how every record begins. seed: of the configuration, or -1.
 */
json_t *lab_record_head(const char *kind, const struct lab_bench *bench, int64_t seed);
/* SHA-256 of this compiler: the library's bytes, then its CPU backend's. */
void lab_compiler_sha256(char hex[LAB_HASH_SIZE]);
/* SHA-256 of the program that runs. */
void lab_program_sha256(char hex[LAB_HASH_SIZE]);
/* SHA-256 of bytes as digits. */
void lab_bytes_sha256(const void *bytes, size_t length, char hex[LAB_HASH_SIZE]);

/* The name, sizes and input hash of a case. */
json_t *lab_record_case(const struct lab_experiment *experiment, const struct lab_case *c);
/* {passed, max_absolute_error, rtol, atol}, or {passed: false, error}. */
json_t *lab_record_correctness(const struct lab_bench *bench, const struct lab_ready *ready,
                               enum lab_dtype dtype);
/* A kernel of ours: its text, hash and constants; how it was compiled. */
json_t *lab_record_shader(const struct lab_bench *bench, const struct lab_ready *ready,
                          const struct lab_text *text, const struct lab_case *c);
json_t *lab_record_compilation(const struct lab_bench *bench, const struct lab_ready *ready);
/* {seconds, from_cache}: apart from all that is timed. */
json_t *lab_record_compile_time(const struct lab_ready *ready);

/* One round of a comparison: {pairs, batch, order, wall_us: {candidate, control, speedup}, device_us,
 * samples: {wall_ns: {candidate, control}, device_ns}, samples_sha256}. */
json_t *lab_record_round(struct arena *arena, const struct measured *m, int round);
/* All rounds: {wall_us: {speedup, round_speedups, candidate, control, paired}, device_us}. */
json_t *lab_record_summary(const struct measured *m);

/* The record, with record_sha256 at its end, becomes the text of the call. */
void lab_record_deliver(struct lab_call *call, json_t *record);

#endif
