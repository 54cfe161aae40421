#ifndef TILEC_CPU_SURVEY_H
#define TILEC_CPU_SURVEY_H
/* What the body of a group computes, before its nest is written: see survey.c. */
#include "cpu/schedule.h"

struct cpu_survey {
    struct cpu_emit *e;
    const struct cpu_group *group;
    unsigned epoch;
    int widest; /* bytes of the widest element that is computed in vectors */
    int cost;
    int longest;      /* cycles of the longest chain of ops that need each other */
    bool only_writes; /* no reductions, no atomics */
    bool approximate;
    bool patterns; /* of pattern.c */
};

struct cpu_survey cpu_survey_group(struct cpu_emit *e, const struct cpu_group *group);

#endif
