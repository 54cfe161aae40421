#ifndef TILEC_TESTS_GOLDEN_H
#define TILEC_TESTS_GOLDEN_H
/*
 * The golden text tests' driver: what its files share. tests/README.md describes the tests.
 * The driver is a short-lived program: it leaves memory to the system, and stops on its own faults.
 */
#include <stdbool.h>
#include <stddef.h>

/* A growing string; zero-initialised is empty. bytes is NUL-terminated once something was added. */
struct buffer {
    char *bytes;
    size_t length;
};

void buffer_add(struct buffer *buffer, const char *bytes, size_t length);
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Ends the driver with a message: something outside the tests is wrong. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool file_read(const char *path, struct buffer *out);
void file_write(const char *path, const char *bytes, size_t length);

/* Runs a command line by sh in the current folder. Output and errors go to out in the order in which
 * they were written. Returns the exit status, or 128 + the signal that ended it. */
int command_run(const char *command, struct buffer *out);

/* "NAME.npy f32[2,3]: 1 2 3": writes that file. A list that is too short is repeated. */
void array_make(const char *description);

/* Adds "LABEL f32[2,3]" and the values, a line per row of the last axis. as_bfloat: 16-bit integers
 * are bits of bfloats. digits: of a number, or 0 for as many as it takes. */
void array_show(const char *path, const char *label, bool as_bfloat, int digits,
                struct buffer *out);

#endif
