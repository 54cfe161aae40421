// Nothing behind a block of Python's is read.
kernel void k(float *Out, int n)
{
    if n > 3:
        store(Out, 1)
    elif n > 2:
        store(Out, 2)
    else:
        store(Out, 3)
}
---
python_if.tile.c:4:13: error: blocks stand in braces, not behind a ':'
    if n > 3:
            ^
hint: write 'if (condition) { ... } else { ... }'
