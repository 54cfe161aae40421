/*
 * The nearest name by edit distance: letters inserted, removed, replaced, or two neighbours
 * swapped. Near enough is a third of the length, so that short names do not match everything, and
 * whatever differs in capitals alone.
 */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Rows of the usual table; two of them are kept for the swap. */
static unsigned edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    unsigned rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned replaced = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void suggestion_offer(struct suggestion *suggestion, const char *candidate)
{
    size_t n = strlen(suggestion->name), m = strlen(candidate);
    if (n == 0 || m == 0 || n > LONGEST || m > LONGEST)
        return;
    bool same_letters = strcasecmp(suggestion->name, candidate) == 0; /* N for n, Block for BLOCK */
    unsigned distance = same_letters ? 1 : edit_distance(suggestion->name, n, candidate, m);
    if ((3 * distance > n + 1 && !same_letters) ||
        (suggestion->best && distance >= suggestion->distance))
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}
