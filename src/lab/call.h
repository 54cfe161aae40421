#ifndef TILEC_LAB_CALL_H
#define TILEC_LAB_CALL_H
/*
 * Around every public function of the lab that returns text: an arena for the call, a guard for
 * memory that runs out, and the way of the results into the caller's hands.
 */
#include "base/text.h"

#include <tilec/lab.h>

#include <jansson.h>

enum { LAB_MAX_FILES = 8 };

struct lab_call {
    struct arena arena;
    struct text out;    /* becomes the text */
    const char *error;  /* becomes the error, of status */
    tilec_status status;
    json_t *files[LAB_MAX_FILES]; /* released behind the call, however it ends */
    int file_count;
    char *owned; /* of malloc, freed behind the call; or NULL */
    const void *arguments; /* the caller's, for work */
};

/* Runs work(call) and turns what it leaves into *text. */
tilec_status lab_call_run(void (*work)(struct lab_call *call), const void *arguments,
                          tilec_lab_text *text);

/* Copies as many bytes of the caller's options, which begin with their size, as the caller knows; NULL:
 * defaults. False: they have a bad size. */
bool lab_read_options(void *ours, size_t our_size, const void *theirs);
bool lab_options_read(tilec_lab_options *ours, const tilec_lab_options *theirs);

/* Keeps the status and the message, in printf's terms. */
void lab_call_fail(struct lab_call *call, tilec_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A JSON file for as long as the call; NULL after lab_call_fail. bytes, length: its contents. */
json_t *lab_call_read(struct lab_call *call, const char *path, const char **bytes, size_t *length);

#endif
