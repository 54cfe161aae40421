// Both # and ## may double a token each time, in few tokens.
#define S(x) #x
#define T(x) S(x)
#define TT(x) T(T(T(T(T(T(T(T(x))))))))
kernel void k(float *X)
{
    tile_assert(X[0] > 0, TT(TT(TT(TT(y)))));
}
---
macro_spelling.tile.c:7:30: error: macro 'S' expands to too much
    tile_assert(X[0] > 0, TT(TT(TT(TT(y)))));
                             ^~~~~~~~~~~~~
hint: # and ## may make 4194304 bytes in all
macro_spelling.tile.c:4:9: note: expanded from macro 'TT'
#define TT(x) T(T(T(T(T(T(T(T(x))))))))
        ^~
