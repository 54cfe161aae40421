// args: --stage cuda
// A helper's blocks lie in those of its call.
#include <tilec/kernel.h>
#define FIVE(n) if (n > 1) if (n > 2) if (n > 3) if (n > 4) if (n > 5)
#define FORTY(n) FIVE(n) FIVE(n) FIVE(n) FIVE(n) FIVE(n) FIVE(n) FIVE(n) FIVE(n)
static float inner(float t, int n)
{
    FORTY(n) FORTY(n) FORTY(n)
        if (n > 6)
            t = t + 1.0f;
    return t;
}
launch_grid(k, 1);
kernel void k(float *Out, int n)
{
    float t = 0.0f;
    FORTY(n) FORTY(n) FORTY(n)
        t = inner(t, n);
    store(Out, t);
}
---
blocks_of_helpers.tile.c:9:9: error: nested too deeply: this is inside 240 blocks of 'if' and loops
        if (n > 6)
        ^~~~~~~~~~
hint: helpers count, because they are inlined, and so does what follows a 'return', 'break' or 'continue' under a condition
