#include <math.h>
---
include_system.tile.c:1:10: error: cannot include <math.h>
#include <math.h>
         ^~~~~~~~
hint: only <tilec/kernel.h> and "files" beside the kernel can be included; the types of <stdint.h> and the functions of <math.h> are built in
