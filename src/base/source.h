#ifndef TILEC_BASE_SOURCE_H
#define TILEC_BASE_SOURCE_H
/*
 * Source files and places in them. A place is a range of bytes in one file; lines and columns are
 * derived when a diagnostic is shown. The text need not end with NUL and may hold any byte.
 */
#include <stddef.h>
#include <stdint.h>

struct source_file {
    const char *name; /* as the user wrote it */
    const char *text;
    size_t length;
};

/* Bytes [begin, end) of file; file is NULL where there is no source (built IR). */
struct source_range {
    const struct source_file *file;
    uint32_t begin, end;
};

struct source_position {
    int line, column;       /* from 1; a column counts bytes */
    const char *line_text;  /* the whole line, without its end */
    size_t line_length;
};

struct source_position source_locate(const struct source_file *file, uint32_t offset);

struct source_line { /* of a place; all zeros: of none yet */
    const struct source_file *file;
    size_t offset;
    int line;
};

/* The line alone, counted on or back from the place that was asked for before. */
int source_line_of(struct source_line *known, const struct source_file *file, uint32_t offset);

/* The smallest range that holds both; both in one file, else the first. */
struct source_range source_join(struct source_range a, struct source_range b);

#endif
