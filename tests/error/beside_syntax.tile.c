// Errors beside those of syntax, in the order of the file; none that broken statements may have caused.
#include <tilec/kernel.h>
static float half_of(float x)
{
    return x * ;
}
static float twice(float x)
{
    return x + y;
}
tune(k, B, 64);
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int i = arange(0, B);
    float x = load(X + i, i < n;
    float z = x + unknown;
    int m = 3;
    m = (4;
    store(Out + i, z + m, i < n);
    float w = arange(0, 4) + arange(0, 5);
    if (n > 3 {
        float q = nothing;
    }
    q = 3;
    store(Out, half_of(x), twice(1.0f));
    for (int j = 0; j < n; j++) {
        m = m + ;
    }
    store(Out + m, m);
    if (arange(0, 4) > 2)
        return;
    float v = exp(w, 2);
}
kernel void shapes(float *Out, int n)
{
    store(Out + n, 1.0f) + 3;
}
---
beside_syntax.tile.c:5:16: error: unexpected ';', expected an expression
    return x * ;
               ^
beside_syntax.tile.c:9:16: error: unknown name 'y'
    return x + y;
               ^
beside_syntax.tile.c:15:32: error: expected ')' behind the arguments
    float x = load(X + i, i < n;
                               ^
beside_syntax.tile.c:16:19: error: unknown name 'unknown'
    float z = x + unknown;
                  ^~~~~~~
beside_syntax.tile.c:18:11: error: expected ')' behind the expression
    m = (4;
          ^
beside_syntax.tile.c:20:15: error: shapes [4] and [5] do not match
    float w = arange(0, 4) + arange(0, 5);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
beside_syntax.tile.c:21:14: error: expected ')' behind the condition
    if (n > 3 {
             ^
beside_syntax.tile.c:27:17: error: unexpected ';', expected an expression
        m = m + ;
                ^
beside_syntax.tile.c:30:9: error: the condition of 'if' must be one truth for the program; this is [4]
    if (arange(0, 4) > 2)
        ^~~~~~~~~~~~~~~~
hint: where(condition, x, y) chooses for each element; load and store take a mask; any(c) and all(c) make one truth
beside_syntax.tile.c:32:22: error: too many arguments for 'exp'
    float v = exp(w, 2);
                     ^
hint: exp(float x)
beside_syntax.tile.c:36:26: error: '+' does not take a call that returns nothing
    store(Out + n, 1.0f) + 3;
                         ^
