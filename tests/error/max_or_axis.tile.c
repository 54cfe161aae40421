// The second operand of max(x, 0) may be meant as an axis or as a value.
kernel void k(const float *X, float *Out)
{
    float x = load(X + arange(0, 8));
    float y = expand_dims(x, 0);
    store(Out + arange(0, 8), max(x, 0) + min(x, 1) + sum(x, 0));
    store(Out + arange(0, 8), max(y, 1) + max(y, 0.5f) + min(y, 2));
}
---
max_or_axis.tile.c:6:38: error: an axis of 'max' is named
    store(Out + arange(0, 8), max(x, 0) + min(x, 1) + sum(x, 0));
                                     ^
hint: write axis(0); maximum(x, 0) compares two values
max_or_axis.tile.c:6:50: error: an axis of 'min' is named
    store(Out + arange(0, 8), max(x, 0) + min(x, 1) + sum(x, 0));
                                                 ^
hint: minimum(x, y) compares two values; an axis is written axis(...)
max_or_axis.tile.c:6:62: error: an axis of 'sum' is named
    store(Out + arange(0, 8), max(x, 0) + min(x, 1) + sum(x, 0));
                                                             ^
hint: write axis(0)
max_or_axis.tile.c:7:38: error: an axis of 'max' is named
    store(Out + arange(0, 8), max(y, 1) + max(y, 0.5f) + min(y, 2));
                                     ^
hint: write axis(1); maximum(x, 1) compares two values
max_or_axis.tile.c:7:50: error: an axis of 'max' is named
    store(Out + arange(0, 8), max(y, 1) + max(y, 0.5f) + min(y, 2));
                                                 ^~~~
hint: maximum(x, y) compares two values; an axis is written axis(...)
max_or_axis.tile.c:7:65: error: an axis of 'min' is named
    store(Out + arange(0, 8), max(y, 1) + max(y, 0.5f) + min(y, 2));
                                                                ^
hint: minimum(x, y) compares two values; an axis is written axis(...)
