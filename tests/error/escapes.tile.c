// Escape sequences that C has not, either, and words of C for what is not there.
kernel void k(int *X)
{
    store(X, '\777');
    store(X, '\x100');
    store(X, '\q');
    tile_print("\u00e9 \u00 \ud800", X[0]);
    tile_print(__func__, X[0]);
    _Pragma("unroll")
    store(X, '\x0041');
}
---
escapes.tile.c:4:15: error: this escape sequence does not fit in a byte
    store(X, '\777');
              ^~~~
escapes.tile.c:5:15: error: this escape sequence does not fit in a byte
    store(X, '\x100');
              ^~~~~
escapes.tile.c:6:15: error: unknown escape sequence
    store(X, '\q');
              ^~
hint: a backslash is written '\\'
escapes.tile.c:7:24: error: unknown escape sequence
    tile_print("\u00e9 \u00 \ud800", X[0]);
                       ^~~~
hint: a backslash is written '\\'
escapes.tile.c:8:16: error: '__func__' is not supported in kernels
    tile_print(__func__, X[0]);
               ^~~~~~~~
escapes.tile.c:9:5: error: '_Pragma' is not supported in kernels
    _Pragma("unroll")
    ^~~~~~~
hint: write '#pragma' in a line of its own
