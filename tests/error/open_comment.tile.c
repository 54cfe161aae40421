kernel void k(int n)
{
    n = 1; /* never closed
}
---
open_comment.tile.c:3:12: error: comment is not closed
    n = 1; /* never closed
           ^~
