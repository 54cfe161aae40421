// Functions without a type of their result; their bodies are checked.
kernel k(float *X)
{
    store(X, y);
}
static helper(float x)
{
    return x + z;
}
kernel void caller(float *X)
{
    store(X, helper(X[0]) + w);
}
---
no_result.tile.c:2:8: error: 'k' has no type
kernel k(float *X)
       ^
hint: write 'kernel void k'
no_result.tile.c:4:14: error: unknown name 'y'
    store(X, y);
             ^
no_result.tile.c:6:8: error: 'helper' has no type
static helper(float x)
       ^~~~~~
hint: write 'static auto helper'
no_result.tile.c:8:16: error: unknown name 'z'
    return x + z;
               ^
no_result.tile.c:12:29: error: unknown name 'w'
    store(X, helper(X[0]) + w);
                            ^
