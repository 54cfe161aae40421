#ifndef BLOCK
#error define BLOCK
#endif
---
error_directive.tile.c:2:2: error: #error define BLOCK
#error define BLOCK
 ^~~~~
