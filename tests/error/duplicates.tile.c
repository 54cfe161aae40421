// Names that are declared twice.
static int f(int x)
{
    return x;
}
constexpr int f = 3;
kernel void k(int n, int n)
{
}
kernel void k(int n)
{
}
launch_grid(k, 1);
launch_grid(k, 2);
---
duplicates.tile.c:6:15: error: 'f' is declared twice
constexpr int f = 3;
              ^
duplicates.tile.c:2:12: note: the first declaration is here
static int f(int x)
           ^
duplicates.tile.c:7:26: error: parameter 'n' is declared twice
kernel void k(int n, int n)
                         ^
duplicates.tile.c:7:19: note: the first declaration is here
kernel void k(int n, int n)
                  ^
duplicates.tile.c:10:13: error: 'k' is declared twice
kernel void k(int n)
            ^
duplicates.tile.c:7:13: note: the first declaration is here
kernel void k(int n, int n)
            ^
duplicates.tile.c:14:1: error: kernel 'k' has two grids
launch_grid(k, 2);
^~~~~~~~~~~
duplicates.tile.c:13:1: note: the first is here
launch_grid(k, 1);
^~~~~~~~~~~
