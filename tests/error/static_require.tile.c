// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    static_require(B > 8, "B must be more than 8");
    static_require(n > 8, "not constant");
}
---
static_require.tile.c:4:5: error: requirement not met: B must be more than 8
    static_require(B > 8, "B must be more than 8");
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
static_require.tile.c:5:20: error: 'condition' of 'static_require' must be an integer known at compile time
    static_require(n > 8, "not constant");
                   ^~~~~
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
