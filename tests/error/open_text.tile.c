kernel void k(int n)
{
    tile_assert(n, "open);
}
---
open_text.tile.c:3:20: error: missing closing "
    tile_assert(n, "open);
                   ^~~~~~~
