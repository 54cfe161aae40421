// args: --stage msl
// What follows a 'return' under a condition is a block, too.
#include <tilec/kernel.h>
#define FOUR(n) if (n == 1) return; if (n == 2) return; if (n == 3) return; if (n == 4) return;
#define SIXTY(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) \
    FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n)
launch_grid(k, 1);
kernel void k(float *Out, int n)
{
    SIXTY(n) SIXTY(n) SIXTY(n) SIXTY(n)
    if (n == 5)
        return;
    store(Out, 1.0f);
}
---
blocks_behind_return.tile.c:13:5: error: nested too deeply: this is inside 240 blocks of 'if' and loops
    store(Out, 1.0f);
    ^~~~~~~~~~~~~~~~~
hint: helpers count, because they are inlined, and so does what follows a 'return', 'break' or 'continue' under a condition
