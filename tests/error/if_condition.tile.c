#if 1 +
#endif
---
if_condition.tile.c:1:5: error: the condition ends too early
#if 1 +
    ^
