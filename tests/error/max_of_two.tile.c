// max is a reduction; of two values it is maximum.
kernel void k(const float *X, float *Out, int n)
{
    float x = max(X[0], X[1]) + min(X[0], 1);
    store(Out, x);
}
---
max_of_two.tile.c:4:25: error: an axis of 'max' is named
    float x = max(X[0], X[1]) + min(X[0], 1);
                        ^~~~
hint: maximum(x, y) compares two values; an axis is written axis(...)
max_of_two.tile.c:4:43: error: an axis of 'min' is named
    float x = max(X[0], X[1]) + min(X[0], 1);
                                          ^
hint: minimum(x, y) compares two values; an axis is written axis(...)
