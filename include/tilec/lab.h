/*
 * lab.h: measurements that a sceptic would accept; docs/lab.md explains. Experimental: may change in
 * any version.
 *
 * The rules at the head of tilec.h hold, but for diagnostics: what a function has to say comes back
 * in a tilec_lab_text, which the caller zeroes before and frees after each call, whatever came out.
 * Functions that take no context need none, and run at the same time in any number of threads.
 */
#ifndef TILEC_LAB_H
#define TILEC_LAB_H

#include <tilec/tilec.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tilec_lab_text {
    char *text;    /* what was asked for, ending with NUL; NULL when there is none */
    size_t length; /* bytes of text */
    char *error;   /* after a failure: what, where and what to do, without a final newline */
} tilec_lab_text;

TILEC_API void tilec_lab_text_free(tilec_lab_text *text);

/* The inputs of every case of an experiment, made again: lines "CASE SHA256", or for a tuning
 * experiment "CASE training SHA256" and "CASE validation SHA256". Needs no device.
 * Errors: IO (no such file, or not an experiment), NO_MEMORY, INVALID. */
TILEC_API tilec_status tilec_lab_inputs(const char *experiment, tilec_lab_text *text);

#ifdef __cplusplus
}
#endif

#endif
