#ifndef TILEC_LAB_CHECKING_H
#define TILEC_LAB_CHECKING_H
/*
 * Checking without timing, on targets whose times are those of the checks (msl-host, interp). Nothing
 * is disturbed by what runs beside it there, so that cases are checked several at once: each thread
 * has a session, a context and an arena of its own, and takes the next case that nobody has.
 */
#include "lab/session.h"

/* What stands in the record for the session's experiment's case at that place: a new reference, or
 * NULL after lab_call_fail. */
typedef json_t *lab_case_maker(struct lab_session *session, size_t place, int64_t seed);

/* A comparison's or tuning's: every arm checked, none timed. */
json_t *lab_check_case(struct lab_session *session, size_t place, int64_t seed);

/* Appends all cases, in order, to the list. path, options: of the session. False after lab_call_fail
 * on its call. */
bool lab_check_all(struct lab_session *session, const char *path, lab_case_maker *make, int64_t seed,
                   json_t *list);

#endif
