#ifndef TILEC_BASE_GUARD_H
#define TILEC_BASE_GUARD_H
/*
 * Guard: where a failed arena allocation ends.
 *
 * Code that uses an arena never sees a failed allocation; guard_run is what makes that true. It is
 * called once at the edge, by the public functions, and takes the code to run as a function, so
 * that no local variable of the caller is in doubt after the jump.
 */
#include "base/arena.h"

/* Calls work(user) with the arena's failure handler set, in the "C" locale (c_locale.h); restores
 * the handler and the locale that were set before. False: an allocation failed and work did not
 * finish. What work allocated outside the arena is then the caller's to free, so work must leave it
 * where user points. */
bool guard_run(struct arena *arena, void (*work)(void *user), void *user);

#endif
