// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    constexpr int M = n;
    store(Out + arange(0, M), 1);
}
---
constexpr_run_time.tile.c:4:23: error: 'M' is constexpr, and this value is not known at compile time
    constexpr int M = n;
                      ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
