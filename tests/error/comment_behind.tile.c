// A comment that is one is not taken for a division.
kernel void k(float *Out, int n)
{
    int lines = n // of the file
    store(Out + lines, 2);
}
---
comment_behind.tile.c:4:18: error: expected ';' behind the declaration
    int lines = n // of the file
                 ^
