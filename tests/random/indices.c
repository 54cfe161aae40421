/*
 * Expressions that are places: consecutive ones, what kernels make of them by divisions and bits,
 * and how kernels keep them inside of an array.
 */
#include "expression.h"

const char *pattern_text(struct generator *g, struct ir_type type, const char **x, int *most)
{
    static const int powers[] = {2, 4, 8, 16, 32, 64, 3, 6, 12, 5, 100};
    static const int bits[] = {1, 2, 3, 4, 7, 8, 15, 16, 31, 5};
    struct arena *arena = arena_of(g);
    int lanes = (int)type.dims[type.rank - 1];
    const char *i = arena_format(
        arena, type.rank == 1 ? "arange(0, %d)" : "expand_dims(arange(0, %d), 0)", lanes);
    int factor = 1 + random_below(&g->random, 64), last = lanes - 1 + 32;
    switch (random_below(&g->random, 4)) {
    case 0:
        i = arena_format(arena, "(%s + %d)", i, factor);
        last += factor;
        break;
    case 1:
        i = arena_format(arena, "(pid * %d + %s)", factor, i);
        last = 0;
        break;
    case 2:
        factor = 1 + factor % 4;
        i = arena_format(arena, "(%s * %d)", i, factor);
        last *= factor;
        break;
    default:
        break;
    }
    *x = i;
    *most = last;
    int a = powers[random_below(&g->random, 11)], b = powers[random_below(&g->random, 11)];
    int c = bits[random_below(&g->random, 10)];
    switch (random_below(&g->random, 11)) {
    case 0:
    case 1:
        return arena_format(arena, "%s / %d", i, a);
    case 2:
        return arena_format(arena, "%s %% %d", i, a);
    case 3:
        return arena_format(arena, "(%s ^ %d)", i, c);
    case 4:
        return arena_format(arena, "(%s & %d)", i, c);
    case 5:
        return arena_format(arena, "(%s >> %d)", i, 1 + random_below(&g->random, 5));
    case 6:
        *most = last ? last / a * (1 + c) + b : 0;
        return arena_format(arena, "%s / %d * %d + %s %% %d", i, a, 1 + c, i, b);
    case 8: /* one of two places (src/cpu/choices.c) */
        *most = last ? last + 100 : 0;
        return arena_format(arena, "where(%s < %d, %s + %d, %s + %d)", i,
                            random_below(&g->random, lanes + 1), i, c, i, a);
    case 9:
        *most = last ? last + 100 : 0;
        return arena_format(arena, "where(%s %% %d > %d, %s + %d, %s + %d)", i, a, c, i, b, i, c);
    case 7:
        return arena_format(arena, "where(%s %% 2 == 0, %s + 1, %s - 1)", i, i, i);
    default:
        return arena_format(arena, "(%s | %d) - %s / %d", i, c, i, a);
    }
}

/* A quotient or remainder by something of the length of a run (src/cpu/nest_runs.c), now and then
 * by what is not positive, and of what may begin below zero. */
static struct expr *divided_index(struct generator *g, struct ir_type type, const char *index)
{
    struct ir_type scalar = {.elem = IR_I64};
    const char *sign = random_chance(&g->random, 50) ? "/" : "%";
    int least = random_chance(&g->random, 80) ? 1 + random_below(&g->random, 100) : -20;
    struct expr *e =
        expr_new(arena_of(g), type,
                 arena_format(arena_of(g), "((%s + ($0 & 511) - %d) %s (($1 & 127) + %d))", index,
                              random_below(&g->random, 300), sign, least));
    for (int i = 0; i < 2; i++) {
        struct expr *part = scalar_leaf(g, scalar);
        expr_add(e, part);
    }
    return e;
}

struct expr *index_leaf(struct generator *g, struct ir_type type)
{
    if ((type.elem != IR_I64 && type.elem != IR_I32) || type.rank > 2)
        return NULL;
    const char *pattern, *x;
    int most;
    if (type.rank == 0)
        pattern = random_chance(&g->random, 50) ? "pid" : "program_id(0)";
    else if (type.rank == 1)
        pattern = arena_format(arena_of(g), "arange(0, %d)", (int)type.dims[0]);
    else
        pattern = arena_format(
            arena_of(g), "(expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0))",
            (int)type.dims[0], random_below(&g->random, 20), (int)type.dims[1]);
    if (type.elem == IR_I32)
        pattern = arena_format(arena_of(g), "cast(int, %s)", pattern);
    else if (type.rank == 1 && random_chance(&g->random, 25))
        pattern = arena_format(arena_of(g), "cast(int64_t, %s)", pattern_text(g, type, &x, &most));
    else if (type.rank > 0 && type.dims[type.rank - 1] >= 64 && random_chance(&g->random, 40))
        return divided_index(g, type, pattern);
    return expr_new(arena_of(g), type, pattern);
}

const char *offsets_text(struct arena *arena, struct ir_type type)
{
    if (type.rank == 1)
        return arena_format(arena, "arange(0, %d)", (int)type.dims[0]);
    return arena_format(arena, "expand_dims(arange(0, %d), 1) * %d + expand_dims(arange(0, %d), 0)",
                        (int)type.dims[0], (int)type.dims[1], (int)type.dims[1]);
}

const char *bounds_text(struct generator *g, const char *i, int n)
{
    struct arena *arena = arena_of(g);
    switch (random_below(&g->random, 7)) {
    case 0:
        return arena_format(arena, "%s >= 0 && %s < %d", i, i, n);
    case 1:
        return arena_format(arena, "%s > -1 && %s <= %d", i, i, n - 1);
    case 2:
        return arena_format(arena, "!(%s < 0 || %s >= %d)", i, i, n);
    case 3:
        return arena_format(arena, "0 <= %s && 2 * %s <= %d", i, i, 2 * n - 1);
    case 4:
        return arena_format(arena, "%d - %s > 0 && %s + 1 > 0 && %s != %d", n, i, i, i,
                            random_below(&g->random, n));
    case 5:
        return arena_format(arena, "%s >= %d && %s < minimum(%d, pid * 64 + 99)", i,
                            random_below(&g->random, 9), i, n);
    default:
        return arena_format(arena, "(%s == %d || (%s > 0 && %s < %d))", i,
                            random_below(&g->random, n), i, i, n);
    }
}

const char *clamp_text(struct generator *g, const char *i, int n)
{
    struct arena *arena = arena_of(g);
    switch (random_below(&g->random, 4)) {
    case 0:
        return arena_format(arena, "minimum(maximum(%s, 0), %d)", i, n - 1);
    case 1:
        return arena_format(arena, "maximum(minimum(%s, %d), 0)", i, n - 1);
    case 2:
        return arena_format(arena, "where(%s < 0, 0, where(%s >= %d, %d, %s))", i, i, n, n - 1, i);
    default:
        return arena_format(arena, "where(%s > %d, %d, maximum(0, %s))", i, n - 1, n - 1, i);
    }
}
