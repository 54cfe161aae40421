#if 1
kernel void k(int n)
{
}
---
if_open.tile.c:1:2: error: #if without #endif
#if 1
 ^~
