// args: --require threads=2048
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(float *Out)
{
    store(Out + arange(0, 64), 1.0f);
}
---
<require>:1:1: error: requirement 'threads' takes a number from 1 to 1024
threads=2048
^~~~~~~~~~~~
