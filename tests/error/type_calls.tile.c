// A type is no function, wherever the call stands.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 8);
    store(Out + i, float(X[0]), i < n);
    store(Out + i, half(X[0]) + 1);
    float x = sum(double(i));
    int y = int(x);
    store(Out + i, cast(float, int8_t(i)));
    store(Out, x);
}
---
type_calls.tile.c:5:20: error: a type cannot be called
    store(Out + i, float(X[0]), i < n);
                   ^~~~~
hint: a conversion is written '(float)x'
type_calls.tile.c:6:20: error: a type cannot be called
    store(Out + i, half(X[0]) + 1);
                   ^~~~
hint: a conversion is written '(half)x'
type_calls.tile.c:7:19: error: a type cannot be called
    float x = sum(double(i));
                  ^~~~~~
hint: a conversion is written '(double)x'
type_calls.tile.c:8:13: error: a type cannot be called
    int y = int(x);
            ^~~
hint: a conversion is written '(int)x'
type_calls.tile.c:9:32: error: a type cannot be called
    store(Out + i, cast(float, int8_t(i)));
                               ^~~~~~
hint: a conversion is written '(int8_t)x'
