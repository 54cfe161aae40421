kernel void k(float *Out, int n)
{
    for i in range(0, n):
        store(Out + i, 1)
}
---
python_for.tile.c:3:25: error: blocks stand in braces, not behind a ':'
    for i in range(0, n):
                        ^
hint: write 'for (int i = first; i < last; i += step)', or use while
