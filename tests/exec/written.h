#ifndef TILEC_TESTS_EXEC_WRITTEN_H
#define TILEC_TESTS_EXEC_WRITTEN_H
/*
 * What the tests share that write kernels themselves, with products of tiles in small whole
 * numbers: elements and their sums, data, and a launch of the text, whose result on the CPU must be
 * the interpreter's bit for bit.
 */
#include "tilec/tilec.h"

#include <stdbool.h>
#include <stdint.h>

struct written_element {
    const char *name;
    tilec_type type;
    const char *sum_name;
    tilec_type sum;
};

enum { WRITTEN_ELEMENTS = 5 };
extern const struct written_element written_elements[WRITTEN_ELEMENTS];

/* 0 .. n - 1; the seed goes on. */
int64_t written_below(uint32_t *seed, int64_t n);
/* Element i becomes the whole number. */
void written_set(tilec_type type, void *data, int64_t i, int value);

/* The level for one of several kernels: of all that this architecture has, one after the other. */
const char *written_level(uint32_t number);

struct written_launch {
    const char *source;
    const char *refused; /* a note that must not be among the diagnostics, or NULL */
    const char *target, *level;
    int threads;
    const int64_t *grid; /* NULL: the text's */
    bool *faults;     /* NULL: the launch must not; or whether the kernel did something wrong */
    bool *runs_whole; /* NULL, or: whether there was no note of products program by program */
    const tilec_argument *arguments;
    size_t argument_count;
};

/* Compiles and launches; fails the test, with the text, where that goes wrong. False: the machine
 * does not have the level. */
bool written_run(const struct written_launch *launch);
/* Makes code of the text, for a level that the machine need not have; fails the test likewise. */
void written_emit(const char *text, const char *level);

#endif
