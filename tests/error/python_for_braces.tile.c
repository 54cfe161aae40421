// As above, in braces: what follows is read.
kernel void k(float *Out, int n)
{
    for i in range(0, n) {
        store(Out + i, 1);
    }
    store(Out, m);
}
---
python_for_braces.tile.c:4:9: error: expected '(' behind 'for'
    for i in range(0, n) {
        ^
hint: write 'for (int i = first; i < last; i += step)', or use while
python_for_braces.tile.c:7:16: error: unknown name 'm'
    store(Out, m);
               ^
