kernel void k(float *Out, int n)
{
    if (n > 3)
        store(Out, 1);
    else:
        store(Out, 2);
}
---
python_else.tile.c:5:9: error: blocks stand in braces, not behind a ':'
    else:
        ^
hint: write 'if (condition) { ... } else { ... }'
