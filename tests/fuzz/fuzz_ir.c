/* The reader of Tile IR on any text: diagnostics, or a kernel that prints and reads back the same. */
#include "base/guard.h"
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_MAX = 256 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct job {
    struct arena *arena;
    const uint8_t *bytes;
    size_t size;
};

static void run(void *user)
{
    struct job *job = user;
    struct diagnostics diagnostics;
    struct text once, twice;
    diagnostics_init(&diagnostics, job->arena);
    text_init(&once, job->arena);
    text_init(&twice, job->arena);
    struct source_file file = {"fuzz.ir", (const char *)job->bytes, job->size};
    const struct ir_kernel *kernel = ir_kernel_read(job->arena, &diagnostics, &file);
    if (!kernel) {
        if (diagnostics.error_count == 0)
            abort();
        for (size_t i = 0; i < diagnostics.count; i++)
            diagnostics_print(&diagnostics.items[i], &twice);
        return;
    }
    ir_kernel_print(kernel, &once);
    struct source_file printed = {"printed.ir", once.items, once.count};
    const struct ir_kernel *again = ir_kernel_read(job->arena, &diagnostics, &printed);
    if (!again)
        abort();
    ir_kernel_print(again, &twice);
    if (once.count != twice.count || memcmp(once.items, twice.items, once.count) != 0)
        abort();
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
