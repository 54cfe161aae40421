/* Medians, geometric means and intervals; see statistics.h. */
#include "lab/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}

double lab_median(double *values, size_t count)
{
    sort(values, count);
    size_t middle = count / 2;
    return count % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double lab_geometric_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += log(values[i]);
    return exp(sum / (double)count);
}

double lab_quantile(const double *sorted, size_t count, double q)
{
    double place = q * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* log of the probability of k successes in n tries of chance p, 0 < p < 1. */
static double log_binomial(size_t n, size_t k, double p)
{
    double all = (double)n, some = (double)k;
    return lgamma(all + 1) - lgamma(some + 1) - lgamma(all - some + 1) + some * log(p) +
           (all - some) * log1p(-p);
}

/* The chance of at most k successes. */
static double binomial_at_most(size_t n, size_t k, double p)
{
    double sum = 0;
    for (size_t i = 0; i <= k; i++)
        sum += exp(log_binomial(n, i, p));
    return sum < 1 ? sum : 1;
}

/* How many of the smallest values lie outside: the greatest r with P(fewer than r of n values are
 * below the median) at most `outside`. 0: not even the extremes bound it. */
static size_t outer_ranks(size_t n, double outside)
{
    double sum = 0;
    for (size_t r = 0; r < n / 2; r++) {
        sum += exp(log_binomial(n, r, 0.5));
        if (sum > outside)
            return r;
    }
    return n / 2;
}

struct lab_interval lab_median_interval(double *values, size_t count, double confidence)
{
    size_t ranks = outer_ranks(count, (1 - confidence) / 2);
    if (ranks == 0)
        return (struct lab_interval){-INFINITY, INFINITY};
    sort(values, count);
    return (struct lab_interval){values[ranks - 1], values[count - ranks]};
}

/* The p with P(at most k) = chance; P falls as p grows. */
static double solve_share(size_t n, size_t k, double chance)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        double p = (low + high) / 2;
        if (binomial_at_most(n, k, p) > chance)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

struct lab_interval lab_share_interval(size_t hits, size_t tries, double confidence)
{
    double outside = (1 - confidence) / 2;
    struct lab_interval share = {0, 1};
    if (hits > 0)
        share.low = solve_share(tries, hits - 1, 1 - outside);
    if (hits < tries)
        share.high = solve_share(tries, hits, outside);
    return share;
}
