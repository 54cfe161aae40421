/*
 * require(...): every requirement is met or refused by name. The table says what there is.
 *
 * A CPU has no threads within a program, no staging and no pipeline, so it refuses those rather
 * than pretend. The width of its vectors is that of the level the code is for.
 */
#include "base/suggest.h"
#include "plan/plan.h"

#include <string.h>

enum meets { NEVER, VECTOR, PRECISION };

struct known {
    const char *name;
    int64_t least, most;
    const char *words;
    enum meets cpu;
    const char *meaning;
};

static const struct known table[] = {
#define REQUIREMENT(name, least, most, words, cpu, meaning)                                        \
    {name, least, most, words, cpu, meaning},
#include "ir/requirements.def"
#undef REQUIREMENT
};
enum { KNOWN_COUNT = sizeof table / sizeof *table };

static const struct known *find(const char *name)
{
    for (int i = 0; i < KNOWN_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

static enum plan_result unknown(const struct ir_requirement *r, struct diagnostics *diagnostics)
{
    struct suggestion suggestion = {.name = r->name};
    struct diagnostic *added = diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, r->range,
                                               "unknown requirement '%s'", r->name);
    for (int i = 0; i < KNOWN_COUNT; i++)
        suggestion_offer(&suggestion, table[i].name);
    struct text names;
    text_init(&names, diagnostics->arena);
    for (int i = 0; i < KNOWN_COUNT; i++)
        text_format(&names, "%s'%s'", i ? ", " : "", table[i].name);
    if (suggestion.best)
        diagnostics_hint(diagnostics, added, "did you mean '%s'?", suggestion.best);
    else
        diagnostics_hint(diagnostics, added, "there are %s", names.items);
    return PLAN_WRONG;
}

/* Whether word is one of the words of a list separated by blanks. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at;) {
        size_t here = strcspn(at, " ");
        if (here == length && memcmp(at, word, length) == 0)
            return true;
        at += here + (at[here] == ' ');
    }
    return false;
}

static bool has_valid_value(const struct ir_requirement *r, const struct known *known)
{
    if (r->word)
        return has_word(known->words, r->word);
    return known->most && r->number >= known->least && r->number <= known->most;
}

static enum plan_result wrong_value(const struct ir_requirement *r, const struct known *known,
                                    struct diagnostics *diagnostics)
{
    if (known->most)
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, r->range,
                        "requirement '%s' takes a number from %lld to %lld", r->name,
                        (long long)known->least, (long long)known->most);
    else
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, r->range,
                        "requirement '%s' takes one of: %s", r->name, known->words);
    return PLAN_WRONG;
}

/* Bits of the largest element among the buffers; 32 without any. */
static int widest_element(const struct ir_func *func)
{
    int bits = 0;
    for (int i = 0; i < func->parameter_count; i++) {
        struct ir_type type = func->parameters[i].type;
        if (type.pointer && ir_elems[type.elem].bits > bits)
            bits = ir_elems[type.elem].bits;
    }
    return bits ? bits : 32;
}

static enum plan_result refuse(const struct ir_requirement *r, const struct plan_target *target,
                               const struct known *known, struct diagnostics *diagnostics)
{
    struct diagnostic *added =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, r->range,
                        "the target '%s' cannot meet the requirement '%s'", target->name, r->name);
    diagnostics_hint(diagnostics, added, "it sets %s, which only GPU targets have", known->meaning);
    return PLAN_REFUSED;
}

static enum plan_result check_vector_width(const struct ir_kernel *kernel,
                                           const struct ir_requirement *r,
                                           const struct plan_target *target,
                                           struct diagnostics *diagnostics)
{
    int bits = widest_element(kernel->func), width = target->vector_bits / bits;
    if (r->number == width)
        return PLAN_MET;
    struct diagnostic *added =
        diagnostics_add(diagnostics, DIAGNOSTIC_ERROR, r->range,
                        "the target '%s' cannot meet the requirement 'vector_width = %lld'",
                        target->name, (long long)r->number);
    diagnostics_hint(diagnostics, added, "vectors of '%s' hold %d elements of %d bits",
                     target->level, width, bits);
    return PLAN_REFUSED;
}

static enum plan_result check_precision(const struct ir_requirement *r,
                                        const struct plan_target *target,
                                        struct diagnostics *diagnostics)
{
    const char *actual = target->relaxed ? "relaxed" : "exact";
    if (strcmp(r->word, actual) == 0)
        return PLAN_MET;
    struct diagnostic *added = diagnostics_add(
        diagnostics, DIAGNOSTIC_ERROR, r->range,
        "the requirement 'precision = %s' is not met: this compilation is %s", r->word, actual);
    diagnostics_hint(diagnostics, added,
                     "fast math is allowed by --relaxed, or by relaxed in the "
                     "compile options");
    return PLAN_REFUSED;
}

static enum plan_result check(const struct ir_kernel *kernel, const struct ir_requirement *r,
                              const struct plan_target *target, struct diagnostics *diagnostics)
{
    const struct known *known = find(r->name);
    if (!known)
        return unknown(r, diagnostics);
    if (!has_valid_value(r, known))
        return wrong_value(r, known, diagnostics);
    if (!target->has_schedule)
        return PLAN_MET;
    if (known->cpu == VECTOR)
        return check_vector_width(kernel, r, target, diagnostics);
    if (known->cpu == PRECISION)
        return check_precision(r, target, diagnostics);
    return refuse(r, target, known, diagnostics);
}

enum plan_result plan_requirements(const struct ir_kernel *kernel, const struct plan_target *target,
                                   struct diagnostics *diagnostics)
{
    enum plan_result worst = PLAN_MET;
    for (int i = 0; i < kernel->requirement_count; i++) {
        enum plan_result result = check(kernel, &kernel->requirements[i], target, diagnostics);
        if (result == PLAN_WRONG || worst == PLAN_MET)
            worst = result;
    }
    return worst;
}
