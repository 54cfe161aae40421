// An error in a macro's expansion shows the use and the definition.
#define TWICE(x) ((x) + (x)
#define SUM(x, y) x + y;
#define INDIRECT TWICE(3)
kernel void k(int n)
{
    n = TWICE(n);
    n = (SUM(n, 1));
    n = INDIRECT;
}
---
macro_note.tile.c:7:17: error: expected ')' behind the expression
    n = TWICE(n);
                ^
macro_note.tile.c:8:10: error: expected ')' behind the expression
    n = (SUM(n, 1));
         ^~~~~~~~~
macro_note.tile.c:3:9: note: expanded from macro 'SUM'
#define SUM(x, y) x + y;
        ^~~
macro_note.tile.c:9:17: error: expected ')' behind the expression
    n = INDIRECT;
                ^
