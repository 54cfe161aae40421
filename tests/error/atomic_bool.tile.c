kernel void k(bool *F)
{
    atomic_add(F, true);
}
---
atomic_bool.tile.c:3:5: error: 'atomic_add' takes numbers, not bool
    atomic_add(F, true);
    ^~~~~~~~~~~~~~~~~~~
