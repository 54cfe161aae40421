/* Scratch memory for the threads of a launch, kept between launches; see run.h. */
#include "run/run.h"

enum { SCRATCH_ALIGN = 64 };

void run_scratch_free(tilec_context *context, struct run_scratch *scratch)
{
    for (int i = 0; i < scratch->count; i++)
        run_free(context, scratch->allocated[i]);
    run_free(context, scratch->allocated);
    run_free(context, scratch->blocks);
    *scratch = (struct run_scratch){0};
}

/* The front holds the address of the hooks, right before the block. */
static bool add_block(tilec_context *context, struct run_scratch *scratch)
{
    void *memory = run_allocate(context, scratch->bytes + RUN_SCRATCH_FRONT + SCRATCH_ALIGN, 1);
    if (!memory)
        return false;
    uintptr_t front = ((uintptr_t)memory + SCRATCH_ALIGN - 1) & ~(uintptr_t)(SCRATCH_ALIGN - 1);
    scratch->allocated[scratch->count] = memory;
    scratch->blocks[scratch->count] = (unsigned char *)front + RUN_SCRATCH_FRONT;
    scratch->count++;
    return true;
}

/* Larger than before: everything anew, because launches that grow are rare. */
bool run_scratch_reserve(tilec_context *context, struct run_scratch *scratch, int threads,
                         size_t bytes)
{
    if (scratch->count >= threads && scratch->bytes >= bytes)
        return true;
    struct run_scratch grown = {.bytes = bytes > scratch->bytes ? bytes : scratch->bytes};
    int count = threads > scratch->count ? threads : scratch->count;
    run_scratch_free(context, scratch);
    grown.blocks = run_allocate(context, (size_t)count, sizeof *grown.blocks);
    grown.allocated = run_allocate(context, (size_t)count, sizeof *grown.allocated);
    bool good = grown.blocks && grown.allocated;
    while (good && grown.count < count)
        good = add_block(context, &grown);
    if (good)
        *scratch = grown;
    else
        run_scratch_free(context, &grown);
    return good;
}
