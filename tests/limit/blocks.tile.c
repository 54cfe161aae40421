// Each 'if' and each loop is a block of Tile IR; the 241st inside each other is refused.
#include <tilec/kernel.h>
#define FOUR(n) if (n > 1) if (n > 2) for (int a = 0; a < n; a++) while (n > 3)
#define SIXTY(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n) \
    FOUR(n) FOUR(n) FOUR(n) FOUR(n) FOUR(n)
launch_grid(k, 1);
kernel void k(float *Out, int n)
{
    float t = 0.0f;
    SIXTY(n) SIXTY(n) SIXTY(n) SIXTY(n)
        if (n == 7)
            t = t + 1.0f;
    store(Out, t);
}
---
blocks.tile.c:11:9: error: nested too deeply: this is inside 240 blocks of 'if' and loops
        if (n == 7)
        ^~~~~~~~~~~
hint: helpers count, because they are inlined, and so does what follows a 'return', 'break' or 'continue' under a condition
