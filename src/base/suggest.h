#ifndef TILEC_BASE_SUGGEST_H
#define TILEC_BASE_SUGGEST_H
/* "did you mean ...?": the name that was most likely meant. */

struct suggestion {
    const char *name;  /* what was written */
    const char *best;  /* the nearest candidate that is near enough, or NULL */
    unsigned distance; /* of best */
};

/* Start with {.name = name}, offer every candidate, read best. */
void suggestion_offer(struct suggestion *suggestion, const char *candidate);

#endif
