#ifndef TILEC_TESTS_GPU_CASE_H
#define TILEC_TESTS_GPU_CASE_H
/*
 * A kernel k(X, Out, m, n) in source form, for tests: what the interpreter stores, and what its GPU
 * IR stores in lockstep (gpu_machine.h), bit for bit.
 */
#include "interp/interp.h"
#include "lang/lang.h"
#include "opt/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "gpu_machine.h"

struct gpu_case {
    void *x, *wanted, *is; /* X, and Out by the interpreter and by GPU IR */
    int64_t elements;      /* of each, 32 bits; kernels may see other types in them */
    int m, n;
    int64_t programs;
};

/* As the front end and the passes make it. define: a macro, or NULL. */
static inline struct ir_kernel *gpu_case_kernel(struct arena *arena, struct diagnostics *diagnostics,
                                                const char *text, const struct lang_define *define)
{
    struct source_file *file = ARENA_NEW(arena, struct source_file);
    *file = (struct source_file){.name = "case.c", .text = text, .length = (uint32_t)strlen(text)};
    struct lang_unit *unit = lang_parse(arena, diagnostics, file, define, define ? 1 : 0,
                                        (struct lang_includer){0});
    const struct lang_kernel *chosen = unit ? lang_find_kernel(unit, NULL) : NULL;
    struct ir_kernel *kernel =
        chosen ? lang_lower(unit, diagnostics, chosen, NULL, 0, NULL, 0) : NULL;
    if (!kernel || !opt_run(kernel->func, NULL, diagnostics))
        fail_msg("%s", diagnostics->items[0].message);
    return kernel;
}

static inline void gpu_case_interpret(const struct gpu_case *c, const struct ir_func *func,
                                      struct arena *arena, struct diagnostics *diagnostics)
{
    struct interp_argument arguments[] = {{.data = c->x, .elements = c->elements},
                                          {.data = c->wanted, .elements = c->elements},
                                          {.bits = (uint64_t)c->m},
                                          {.bits = (uint64_t)c->n}};
    struct interp_options options = {.grid = {c->programs, 1, 1}};
    if (!interp_run(func, arguments, &options, arena, diagnostics))
        fail_msg("%s", diagnostics->items[0].message);
}

/* What is wrong, or NULL. */
static inline const char *gpu_case_run(const struct gpu_case *c, struct machine *machine,
                                       const struct gpu_kernel *gpu)
{
    size_t bytes = (size_t)c->elements * sizeof(uint32_t);
    int64_t grid[3] = {c->programs, 1, 1};
    struct machine_argument arguments[] = {{.data = c->x, .bytes = bytes},
                                           {.data = c->is, .bytes = bytes},
                                           {.bits = (uint64_t)c->m},
                                           {.bits = (uint64_t)c->n}};
    const char *why = machine_run(machine, gpu, arguments, grid);
    return !why && memcmp(c->is, c->wanted, bytes) != 0 ? "Out differs" : why;
}

#endif
