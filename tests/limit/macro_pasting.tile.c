#define C(a, b) a##b
#define D(x) C(x, x)
#define DD(x) D(D(D(D(D(D(D(D(x))))))))
kernel void l(float *X)
{
    store(X, DD(DD(DD(DD(y)))));
}
---
macro_pasting.tile.c:6:17: error: macro 'C' expands to too much
    store(X, DD(DD(DD(DD(y)))));
                ^~~~~~~~~~~~~
hint: # and ## may make 4194304 bytes in all
macro_pasting.tile.c:3:9: note: expanded from macro 'DD'
#define DD(x) D(D(D(D(D(D(D(D(x))))))))
        ^~
