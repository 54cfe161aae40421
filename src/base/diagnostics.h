#ifndef TILEC_BASE_DIAGNOSTICS_H
#define TILEC_BASE_DIAGNOSTICS_H
/*
 * Diagnostics as data. Stages add to a list; nothing is printed below the CLI. The list keeps at
 * most DIAGNOSTICS_MAX_ERRORS errors, and a stage stops when diagnostics_full() says so; of warnings
 * and perf notes it keeps DIAGNOSTICS_MAX_WARNINGS, and of equal perf notes of one place the first.
 *
 * Wording follows clang: lower case, no full stop, names in single quotes: "unknown name 'foo'".
 * A hint says what to write instead. Notes belong to the diagnostic added before them.
 */
#include "base/arena.h"
#include "base/source.h"
#include "base/text.h"

enum diagnostic_kind { DIAGNOSTIC_ERROR, DIAGNOSTIC_WARNING, DIAGNOSTIC_NOTE, DIAGNOSTIC_PERF };

enum { DIAGNOSTICS_MAX_ERRORS = 20, DIAGNOSTICS_MAX_WARNINGS = 100 };

struct diagnostic {
    enum diagnostic_kind kind;
    struct source_range range; /* file NULL: no place */
    const char *message;
    const char *hint; /* or NULL */
};

struct diagnostics {
    struct arena *arena;
    struct diagnostic *items;
    size_t count, capacity;
    size_t error_count, warning_count;
    bool dropped; /* the last one, beyond a limit or said before: its notes go too */
};

void diagnostics_init(struct diagnostics *diagnostics, struct arena *arena);

/* Adds one; further errors beyond the limit are counted but not kept. Returns the kept one (for
 * diagnostics_hint) or NULL. */
struct diagnostic *diagnostics_add(struct diagnostics *diagnostics, enum diagnostic_kind kind,
                                   struct source_range range, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Attaches a hint to what diagnostics_add returned; NULL is allowed. */
void diagnostics_hint(struct diagnostics *diagnostics, struct diagnostic *diagnostic,
                      const char *format, ...) __attribute__((format(printf, 3, 4)));

bool diagnostics_full(const struct diagnostics *diagnostics);

/* file:line:col: kind: message, the source line with the range marked, the hint. */
void diagnostics_print(const struct diagnostic *diagnostic, struct text *out);

#endif
