#include <tilec/kernel.h>
launch_grid(k, 1)
constexpr int N = 4
kernel void k(const float *X, float *Out)
{
    int i = arange(0, N)
    float x = load(X + i);
    x = x * 2.0f
    float y = (x;
    if (N > 3)
        store(Out + i, x)
    return
}
---
missing_semicolons.tile.c:2:18: error: expected ';' behind ')'
launch_grid(k, 1)
                 ^
missing_semicolons.tile.c:3:20: error: expected ';' behind the declaration
constexpr int N = 4
                   ^
missing_semicolons.tile.c:6:25: error: expected ';' behind the declaration
    int i = arange(0, N)
                        ^
missing_semicolons.tile.c:8:17: error: expected ';' behind the expression
    x = x * 2.0f
                ^
missing_semicolons.tile.c:9:17: error: expected ')' behind the expression
    float y = (x;
                ^
missing_semicolons.tile.c:11:26: error: expected ';' behind the expression
        store(Out + i, x)
                         ^
missing_semicolons.tile.c:12:11: error: expected ';' behind 'return'
    return
          ^
