// A second definition is a warning; the error shows that it counts.
#define N 1
#define N +
kernel void k(int n)
{
    n = N;
}
---
macro_again.tile.c:3:9: warning: macro 'N' is defined again, differently
#define N +
        ^
macro_again.tile.c:2:9: note: the earlier definition is here
#define N 1
        ^
macro_again.tile.c:6:10: error: unexpected ';', expected an expression
    n = N;
         ^
