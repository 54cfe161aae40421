// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int a = arange(4);
    int b = arange(4, 4);
    int c = arange(0, n);
    int d = arange(0, 1 << 21);
    int e = arange(4, 0);
}
---
arange.tile.c:4:13: error: 'end' of 'arange' is missing
    int a = arange(4);
            ^~~~~~~~~
hint: a range from 0 on is arange(0, n)
arange.tile.c:5:13: error: an empty range: 4 to 4
    int b = arange(4, 4);
            ^~~~~~~~~~~~
arange.tile.c:6:23: error: 'end' of 'arange' must be an integer known at compile time
    int c = arange(0, n);
                      ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
arange.tile.c:7:13: error: a tile has at most 1048576 elements; this range has 2097152
    int d = arange(0, 1 << 21);
            ^~~~~~~~~~~~~~~~~~
arange.tile.c:8:13: error: an empty range: 4 to 0
    int e = arange(4, 0);
            ^~~~~~~~~~~~
