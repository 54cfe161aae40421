/*
 * Passes on random Tile IR: every pass alone and the whole pipeline leave valid IR that computes
 * the same memory, bit for bit (any NaN counts as the same), and changes nothing when it runs
 * again.
 */
#include "interp/interp.h"
#include "opt/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../seeds.h"
#include "random_ir.h"

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

/* The buffers of the four pointer parameters; the first two may be one buffer. */
struct memory {
    float a[RANDOM_IR_ELEMENTS], b[RANDOM_IR_ELEMENTS];
    int32_t i[RANDOM_IR_ELEMENTS];
    uint16_t h[RANDOM_IR_ELEMENTS];
};

static void show(struct state *s)
{
    struct text text;
    text_init(&text, &s->arena);
    for (size_t i = 0; i < s->diagnostics.count; i++)
        diagnostics_print(&s->diagnostics.items[i], &text);
    fputs(text.items ? text.items : "", stderr);
}

static const char *print(struct state *s, const struct ir_func *func)
{
    struct text text;
    text_init(&text, &s->arena);
    ir_print(func, &text);
    return text.items;
}

static void fill(struct memory *memory, uint64_t seed)
{
    struct random_ir r = {.state = seed, .executable = true};
    for (int k = 0; k < RANDOM_IR_ELEMENTS; k++) {
        uint64_t bits = random_ir_element(&r, IR_F32);
        uint32_t narrow = (uint32_t)bits;
        memcpy(&memory->a[k], &narrow, sizeof narrow);
        memory->b[k] = (float)random_ir_below(&r, 1000) / 16;
        memory->i[k] = random_ir_below(&r, 100) - 50;
        memory->h[k] = (uint16_t)(0x3c00 + random_ir_below(&r, 64));
    }
}

static void execute(struct state *s, const struct ir_func *func, uint64_t seed, int variant,
                    struct memory *memory)
{
    fill(memory, seed);
    struct interp_argument arguments[RANDOM_IR_PARAMETERS] = {
        {.data = memory->a, .elements = RANDOM_IR_ELEMENTS},
        {.data = variant == 2 ? memory->a : memory->b, .elements = RANDOM_IR_ELEMENTS},
        {.data = memory->i, .elements = RANDOM_IR_ELEMENTS},
        {.data = memory->h, .elements = RANDOM_IR_ELEMENTS},
        {.bits = (uint32_t)(variant * 7 - 3)},
        {.bits = (uint64_t)(variant * 13)},
        {.bits = 0x3fc00000},
        {.bits = (uint64_t)variant & 1},
    };
    struct interp_options options = {.grid = {1, 1, 1}, .step_limit = 100000000};
    if (!interp_run(func, arguments, &options, &s->arena, &s->diagnostics)) {
        show(s);
        fail_msg("seed %d does not run", (int)seed);
    }
}

static bool same_floats(const float *x, const float *y)
{
    for (int i = 0; i < RANDOM_IR_ELEMENTS; i++) {
        if (memcmp(&x[i], &y[i], sizeof x[i]) != 0 && !(x[i] != x[i] && y[i] != y[i]))
            return false;
    }
    return true;
}

static bool same_halves(const uint16_t *x, const uint16_t *y)
{
    for (int i = 0; i < RANDOM_IR_ELEMENTS; i++) {
        bool both_nan = (x[i] & 0x7fff) > 0x7c00 && (y[i] & 0x7fff) > 0x7c00;
        if (x[i] != y[i] && !both_nan)
            return false;
    }
    return true;
}

static bool same(const struct memory *x, const struct memory *y)
{
    return same_floats(x->a, y->a) && same_floats(x->b, y->b) && same_halves(x->h, y->h) &&
           memcmp(x->i, y->i, sizeof x->i) == 0;
}

/* Runs the passes (NULL: the pipeline) on a random function and compares what it computes. */
static void check(const char *pass, uint64_t seed, int ops)
{
    struct state s;
    arena_init(&s.arena, allocator_default, &s.out_of_memory);
    diagnostics_init(&s.diagnostics, &s.arena);
    struct ir_func *func = random_ir_func(&s.arena, seed, ops, true);
    struct ir_func *changed = ir_func_clone(&s.arena, func);
    struct opt_options options = {.verify_each = true, .pass_limit = -1, .unrolls = true};
    options.carries_in_memory = true;
    if (pass) {
        options.only = &pass;
        options.only_count = 1;
    }
    if (!opt_run(changed, &options, &s.diagnostics)) {
        show(&s);
        fail_msg("pass %s, seed %d", pass ? pass : "(all)", (int)seed);
    }
    for (int variant = 0; variant < 3; variant++) {
        struct memory before, after;
        execute(&s, func, seed, variant, &before);
        execute(&s, changed, seed, variant, &after);
        if (!same(&before, &after)) {
            if (getenv("TILEC_SHOW"))
                fprintf(stderr, "%s\n%s\n", print(&s, func), print(&s, changed));
            fail_msg("pass %s, seed %d, variant %d: another result", pass ? pass : "(all)",
                     (int)seed, variant);
        }
    }
    if (pass) {
        const char *once = print(&s, changed);
        assert_true(opt_run(changed, &options, &s.diagnostics));
        const char *twice = print(&s, changed);
        if (strcmp(once, twice) != 0) {
            if (getenv("TILEC_SHOW"))
                fprintf(stderr, "%s\n%s\n%s\n", print(&s, func), once, twice);
            fail_msg("pass %s, seed %d: not idempotent", pass, (int)seed);
        }
    }
    arena_free(&s.arena);
}

static void each_pass(void **unused)
{
    (void)unused;
    static const char *const passes[] = {
#define PASS(name, needs, keeps, meaning) #name,
#include "opt/passes.def"
#undef PASS
    };
    struct seeds seeds = seeds_of("OPT_RANDOM", 60);
    uint64_t seed;
    while (seeds_take(&seeds, 1, &seed))
        for (size_t k = 0; k < sizeof passes / sizeof *passes; k++)
            check(passes[k], seed, 25);
}

static void pipeline(void **unused)
{
    (void)unused;
    struct seeds seeds = seeds_of("OPT_RANDOM", 60);
    uint64_t seed;
    while (seeds_take(&seeds, 1, &seed)) {
        check(NULL, 1000 + 2 * seed, 40);
        check(NULL, 1001 + 2 * seed, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pass),
        cmocka_unit_test(pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
