/* Linear algebra over F2; see f2.h. */
#include "layout/f2.h"

/* Subtracts basis vectors as long as their leading bit is set; what is left is 0 in the span. */
static uint32_t reduce(const struct f2_span *span, uint32_t vector, uint32_t *origin)
{
    for (int i = 0; i < span->rank; i++) {
        int lead = 31 - __builtin_clz(span->vector[i]);
        if (vector >> lead & 1) {
            vector ^= span->vector[i];
            *origin ^= span->origin[i];
        }
    }
    return vector;
}

/* Keeps the basis sorted by falling leading bit, which reduce relies on. */
static void insert(struct f2_span *span, uint32_t vector, uint32_t origin)
{
    int at = span->rank++;
    while (at > 0 && span->vector[at - 1] < vector) {
        span->vector[at] = span->vector[at - 1];
        span->origin[at] = span->origin[at - 1];
        at--;
    }
    span->vector[at] = vector;
    span->origin[at] = origin;
}

bool f2_span_add(struct f2_span *span, uint32_t vector)
{
    uint32_t origin = 1u << span->added++;
    vector = reduce(span, vector, &origin);
    if (!vector)
        return false;
    insert(span, vector, origin);
    return true;
}

bool f2_span_contains(const struct f2_span *span, uint32_t vector, uint32_t *combination)
{
    uint32_t origin = 0;
    bool inside = reduce(span, vector, &origin) == 0;
    if (inside && combination)
        *combination = origin;
    return inside;
}

uint32_t f2_apply(const uint32_t *columns, int count, uint32_t vector)
{
    uint32_t image = 0;
    for (int i = 0; i < count; i++)
        if (vector >> i & 1)
            image ^= columns[i];
    return image;
}
