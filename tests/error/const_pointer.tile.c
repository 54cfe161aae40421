// The const behind the star is the pointer's own.
static void f(float *const p)
{
    p = p + 1;
}
kernel void k(float *const X, const float *Y)
{
    const float *const q = Y;
    f(X);
    Y = Y + 1;
    X = X + 1;
    q += 1;
}
---
const_pointer.tile.c:4:5: error: 'p' is constant
    p = p + 1;
    ^
const_pointer.tile.c:9:5: note: 'f' is called here
    f(X);
    ^~~~
const_pointer.tile.c:11:5: error: 'X' is constant
    X = X + 1;
    ^
const_pointer.tile.c:12:5: error: 'q' is constant
    q += 1;
    ^
