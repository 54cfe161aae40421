/* Guard: where a failed arena allocation ends; see guard.h. */
#include "base/guard.h"

#include "base/c_locale.h"

bool guard_run(struct arena *arena, void (*work)(void *user), void *user)
{
    jmp_buf here;
    jmp_buf *volatile before = arena->on_failure;
    volatile bool finished = false;
    struct c_locale entered = c_locale_enter(); /* not written behind setjmp */
    arena->on_failure = &here;
    if (!setjmp(here)) {
        work(user);
        finished = true;
    }
    c_locale_leave(entered);
    arena->on_failure = before;
    return finished;
}
