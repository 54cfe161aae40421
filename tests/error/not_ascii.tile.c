kernel void k(int n)
{
    n = n × 2;
}
---
not_ascii.tile.c:3:11: error: byte 0xc3 cannot stand here
    n = n ?? 2;
          ^
