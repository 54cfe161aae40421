/*
 * The front end on any text: it ends with Tile IR that the verifier accepts and that reads back as it
 * was printed, or with diagnostics, which can all be printed; never with neither.
 */
#include "base/guard.h"
#include "lang/lang.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 256 << 20, CONSTEXPR_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct job {
    struct arena *arena;
    const uint8_t *bytes;
    size_t size;
};

static void check_diagnostics(struct arena *arena, const struct diagnostics *diagnostics)
{
    struct text text;
    text_init(&text, arena);
    if (diagnostics->error_count == 0)
        abort();
    for (size_t i = 0; i < diagnostics->count; i++)
        diagnostics_print(&diagnostics->items[i], &text);
}

static void check_kernel(struct arena *arena, const struct ir_kernel *kernel)
{
    struct diagnostics diagnostics;
    struct text once, twice;
    diagnostics_init(&diagnostics, arena);
    text_init(&once, arena);
    text_init(&twice, arena);
    if (!ir_kernel_verify(kernel, &diagnostics))
        abort();
    ir_kernel_print(kernel, &once);
    struct source_file file = {"printed", once.items, once.count};
    const struct ir_kernel *again = ir_kernel_read(arena, &diagnostics, &file);
    if (!again)
        abort();
    ir_kernel_print(again, &twice);
    if (once.count != twice.count || memcmp(once.items, twice.items, once.count) != 0)
        abort();
}

static void lower(struct arena *arena, struct lang_unit *unit, const struct lang_kernel *kernel)
{
    struct diagnostics diagnostics;
    struct lang_binding bindings[CONSTEXPR_MAX];
    int count = 0;
    diagnostics_init(&diagnostics, arena);
    for (int i = 0; i < kernel->parameter_count && count < CONSTEXPR_MAX; i++)
        if (kernel->parameters[i].is_constexpr && !kernel->parameters[i].is_layout)
            bindings[count++] = (struct lang_binding){kernel->parameters[i].name, 16};
    const struct ir_kernel *lowered =
        lang_lower(unit, &diagnostics, kernel, bindings, count, NULL, 0);
    if (lowered)
        check_kernel(arena, lowered);
    else
        check_diagnostics(arena, &diagnostics);
}

static void run(void *user)
{
    struct job *job = user;
    struct diagnostics diagnostics;
    struct source_file file = {"fuzz.tile.c", (const char *)job->bytes, job->size};
    diagnostics_init(&diagnostics, job->arena);
    struct lang_unit *unit = lang_parse(job->arena, &diagnostics, &file, NULL, 0,
                                        (struct lang_includer){0});
    if (!unit) {
        check_diagnostics(job->arena, &diagnostics);
        return;
    }
    for (int i = 0; i < unit->kernel_count; i++)
        lower(job->arena, unit, &unit->kernels[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena;
    jmp_buf nowhere;
    arena_init(&arena, allocator_default, &nowhere);
    arena.limit = MEMORY_MAX;
    struct job job = {&arena, bytes, size};
    guard_run(&arena, run, &job);
    arena_free(&arena);
    return 0;
}
