// A default hides nothing of what is wrong behind it, and is no second error where the value is missing.
kernel void k(const float *X, float *Out, int n, float eps = 1e-5, constexpr int BLOCK = 128,
              constexpr int WRONG = nothing, constexpr int LAST = n)
{
    int i = arange(0, BLOCK);
    float x = load(X + i, i < n, -inf);
    store(Out + i, x * mean(x) + eps, i < n);
    store(Out + arange(0, BLOCK / 2), x);
}
---
parameter_default.tile.c:2:60: error: a parameter cannot have a default
kernel void k(const float *X, float *Out, int n, float eps = 1e-5, constexpr int BLOCK = 128,
                                                           ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default.tile.c:2:88: error: a parameter cannot have a default
void k(const float *X, float *Out, int n, float eps = 1e-5, constexpr int BLOCK = 128,
                                                                                ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default.tile.c:3:35: error: a parameter cannot have a default
              constexpr int WRONG = nothing, constexpr int LAST = n)
                                  ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default.tile.c:3:65: error: a parameter cannot have a default
              constexpr int WRONG = nothing, constexpr int LAST = n)
                                                                ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
parameter_default.tile.c:6:35: error: unknown name 'inf'
    float x = load(X + i, i < n, -inf);
                                  ^~~
hint: infinity is written INFINITY
parameter_default.tile.c:7:24: error: unknown function 'mean'
    store(Out + i, x * mean(x) + eps, i < n);
                       ^~~~
hint: sum(x) / n
