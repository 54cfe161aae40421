// A file that includes itself twice.
#include "includes.tile.c"
#include "includes.tile.c"
---
includes.tile.c:2:10: error: too many #include: does 'includes.tile.c' include itself?
#include "includes.tile.c"
         ^~~~~~~~~~~~~~~~~
hint: write '#pragma once' at the top of included files
