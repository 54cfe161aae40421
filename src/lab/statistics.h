#ifndef TILEC_LAB_STATISTICS_H
#define TILEC_LAB_STATISTICS_H
/*
 * The lab's statistics: medians, geometric means, and how far a median can be trusted.
 *
 * Intervals of medians are those of the bootstrap in the limit of infinitely many resamples, which
 * for a median is known in closed form: a resample's median is the value of some rank, and the rank
 * is distributed binomially. So the bounds are two of the samples themselves; nothing is drawn, and
 * the same samples always give the same interval. docs/lab.md compares it with resampling.
 */
#include <stddef.h>

struct lab_interval {
    double low, high;
};

/* The mean of the two middle values when count is even; sorts values. count > 0. */
double lab_median(double *values, size_t count);
/* Of positive values. count > 0. */
double lab_geometric_mean(const double *values, size_t count);
/* The value below which a share q of the sorted values lies, linearly between ranks. count > 0. */
double lab_quantile(const double *sorted, size_t count, double q);

/*
 * Bounds between which the median of what was sampled lies with the given confidence (0.99), each
 * side holding half of what is left. Sorts values. Too few values to say so (below 8 for 0.99):
 * minus to plus infinity.
 */
struct lab_interval lab_median_interval(double *values, size_t count, double confidence);

/* Where a share p lies with the given confidence when `hits` of `tries` were seen: Clopper and
 * Pearson's exact interval. tries > 0. */
struct lab_interval lab_share_interval(size_t hits, size_t tries, double confidence);

#endif
