/* Guard: where a failed arena allocation ends; see guard.h. */
#include "base/guard.h"

bool guard_run(struct arena *arena, void (*work)(void *user), void *user)
{
    jmp_buf here;
    jmp_buf *volatile before = arena->on_failure;
    volatile bool finished = false;
    arena->on_failure = &here;
    if (!setjmp(here)) {
        work(user);
        finished = true;
    }
    arena->on_failure = before;
    return finished;
}
