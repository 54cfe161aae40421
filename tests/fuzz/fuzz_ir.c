/*
 * The reader of Tile IR on any bytes: an error or valid IR. Valid IR prints, reads back as the same
 * text, and goes through every pass, each of which leaves valid IR.
 */
#include "base/guard.h"
#include "ir/ir.h"
#include "opt/opt.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct arena *arena;
    struct source_file file;
};

static struct text print(struct arena *arena, const struct ir_kernel *kernel)
{
    struct text text;
    text_init(&text, arena);
    ir_kernel_print(kernel, &text);
    return text;
}

static void run(void *user)
{
    struct work *work = user;
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, work->arena);
    struct ir_kernel *kernel = ir_kernel_read(work->arena, &diagnostics, &work->file);
    if (!kernel) {
        if (diagnostics.error_count == 0)
            abort();
        struct text out;
        text_init(&out, work->arena);
        for (size_t i = 0; i < diagnostics.count; i++)
            diagnostics_print(&diagnostics.items[i], &out);
        return;
    }
    struct text once = print(work->arena, kernel);
    struct source_file file = {"again.ir", once.items, once.count};
    struct ir_kernel *again = ir_kernel_read(work->arena, &diagnostics, &file);
    if (!again || strcmp(print(work->arena, again).items, once.items) != 0)
        abort();
    struct opt_options options = {.verify_each = true, .pass_limit = -1, .unrolls = true};
    options.carries_in_memory = true;
    if (!opt_run(kernel->func, &options, &diagnostics))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena;
    arena_init(&arena, allocator_default, NULL);
    arena.limit = 64 << 20;
    struct work work = {&arena, {"fuzz.ir", (const char *)bytes, size}};
    guard_run(&arena, run, &work);
    arena_free(&arena);
    return 0;
}
