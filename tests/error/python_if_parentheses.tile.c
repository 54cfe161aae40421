kernel void k(float *Out, int n)
{
    while (n > 3):
        n -= 1
}
---
python_if_parentheses.tile.c:3:18: error: blocks stand in braces, not behind a ':'
    while (n > 3):
                 ^
hint: write 'while (condition) { ... }'
