#ifndef TILEC_LAB_REFUSAL_H
#define TILEC_LAB_REFUSAL_H
/* Why a file is not accepted: what checks of several steps leave for their caller. */
#include "base/arena.h"

struct lab_refusal {
    struct arena *arena;
    const char **error; /* becomes the reason, in the arena */
};

/* Keeps the reason, in printf's terms; more than 767 bytes of it are cut off, because files of
 * strangers stand in it. Always false. */
bool lab_refuse(const struct lab_refusal *refusal, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
