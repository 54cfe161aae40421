/* --expect: an array against a file, element by element; see cli.h. */
#include "cli/cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct comparison {
    int64_t different;    /* elements outside the tolerance */
    int64_t first, worst; /* of those; worst also when all are inside */
    long double largest;  /* difference */
};

/* How far two values are apart; NaN only differs from what is no NaN: by infinity. */
static long double distance(long double got, long double wanted)
{
    if (got == wanted || (isnan(got) && isnan(wanted)))
        return 0;
    if (isnan(got) || isnan(wanted) || isinf(got) || isinf(wanted))
        return INFINITY;
    return fabsl(got - wanted);
}

static struct comparison compare(const struct cli_array *got, const struct cli_array *wanted,
                                 double rtol, double atol)
{
    struct comparison result = {.first = -1, .largest = -1};
    for (int64_t i = 0; i < got->count; i++) {
        long double want = cli_array_get(wanted, i);
        long double apart = distance(cli_array_get(got, i), want);
        long double allowed = isinf(want) ? atol : atol + rtol * fabsl(want);
        if (apart > allowed || (apart > 0 && isnan(allowed))) {
            result.different++;
            if (result.first < 0)
                result.first = i;
        }
        if (apart > result.largest) {
            result.largest = apart;
            result.worst = i;
        }
    }
    return result;
}

static bool same_shape(const struct cli_array *a, const struct cli_array *b)
{
    if (a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->shape[i] != b->shape[i])
            return false;
    return true;
}

static void put_shape(const struct cli_array *array, struct text *out)
{
    text_format(out, "%s[", tilec_type_name(array->type));
    for (int i = 0; i < array->rank; i++)
        text_format(out, "%s%lld", i ? "," : "", (long long)array->shape[i]);
    text_char(out, ']');
}

static int wrong_shape(struct cli *cli, const char *name, const struct cli_array *got,
                       const struct cli_array *wanted, const char *path)
{
    struct text text;
    text_init(&text, cli->arena);
    text_format(&text, "array '%s' is ", name);
    put_shape(got, &text);
    text_format(&text, ", but '%s' holds ", path);
    put_shape(wanted, &text);
    return cli_error("%s", text.items);
}

/* Enough to tell two values of the type apart. */
static int significant_digits(tilec_type type)
{
    switch (type) {
    case TILEC_F16:
    case TILEC_BF16:
        return 5;
    case TILEC_F32:
        return 9;
    case TILEC_F64:
        return 17;
    default:
        return 20;
    }
}

static void put_element(const char *which, const char *name, const struct cli_array *got,
                        const struct cli_array *wanted, int64_t i, struct text *out)
{
    int digits = significant_digits(got->type);
    text_format(out, "  %s: %s", which, name);
    cli_array_index(got, i, out);
    text_format(out, " is %.*Lg, expected %.*Lg, difference %.3Lg\n", digits, cli_array_get(got, i),
                digits, cli_array_get(wanted, i),
                distance(cli_array_get(got, i), cli_array_get(wanted, i)));
}

static int report(struct cli *cli, const char *name, const struct cli_array *got,
                  const struct cli_array *wanted, const char *path, struct comparison result)
{
    struct text text;
    text_init(&text, cli->arena);
    if (result.different) {
        cli_error("array '%s' differs from '%s' in %lld of %lld elements", name, path,
                  (long long)result.different, (long long)got->count);
        put_element("first", name, got, wanted, result.first, &text);
        put_element("worst", name, got, wanted, result.worst, &text);
        fputs(text.items, stderr);
        return CLI_WRONG;
    }
    text_format(&text, "%s: %lld elements as in %s", name, (long long)got->count, path);
    if (result.largest > 0) {
        text_format(&text, ", largest difference %.3Lg at ", result.largest);
        cli_array_index(got, result.worst, &text);
    }
    text_char(&text, '\n');
    return cli_print(text.items, text.count) ? CLI_FINE : CLI_WRONG;
}

int cli_compare(struct cli *cli, const char *name, const struct cli_array *array, const char *path,
                double rtol, double atol)
{
    struct cli_array wanted;
    int status;
    if (!cli_array_read(name, path, array->type, &wanted))
        return CLI_WRONG;
    bool floats = array->type >= TILEC_F16 && wanted.type >= TILEC_F16;
    if (!same_shape(array, &wanted) || (array->type != wanted.type && !floats))
        status = wrong_shape(cli, name, array, &wanted, path);
    else
        status = report(cli, name, array, &wanted, path, compare(array, &wanted, rtol, atol));
    cli_array_free(&wanted);
    return status;
}
