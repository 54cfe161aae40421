kernel void k(int n)
{
    n = n × 2;
}
---
not_ascii.tile.c:3:11: error: character U+00D7 cannot stand here
    n = n ?? 2;
          ^~
hint: write '*'
