#ifndef TILEC_RUN_LAUNCH_H
#define TILEC_RUN_LAUNCH_H
/*
 * What is checked before programs run (launch_check.c), for launch.c and for backends.
 *
 * This is on the path that must cost less than a microsecond, so it works in arrays that were
 * allocated with the kernel and only looks at what it must. Every refusal is one clear message.
 */
#include "run/run.h"

#define FAIL(launch, status, hint, ...)                                                            \
    run_fail((launch)->kernel->context, (status), (hint), __VA_ARGS__)

/* Which argument is which: fills launch->given. */
tilec_status run_launch_match(struct run_launch *launch, const tilec_argument *arguments,
                              size_t count);
/* argument: NULL for one that is fixed and was left out. */
tilec_status run_launch_check_scalar(struct run_launch *launch, int i,
                                     const tilec_argument *argument);
/* Matches and checks all of them. */
tilec_status run_launch_check_arguments(struct run_launch *launch, const tilec_argument *arguments,
                                        size_t count);
/* Puts the scalars where host functions expect them. */
void run_launch_collect_scalars(struct run_launch *launch);
/* The grid that was given, or (NULL) the one that the kernel's launch_grid computes. */
tilec_status run_launch_find_grid(struct run_launch *launch, const int64_t *given);
tilec_status run_launch_check_requirements(struct run_launch *launch);
/* That buffers which are restrict share no memory with others that are written. */
tilec_status run_launch_check_restrict(const struct run_launch *launch);
/* Whether two buffers, one of them written, share memory, or may: a length is not known. */
bool run_launch_overlaps(const struct run_launch *launch);

#endif
