// args: -D B=4
// As C23 has it, without a text: the condition is the text.
static_assert(sizeof(int) == 4);
kernel void k(float *X, int n, constexpr int B)
{
    static_assert(B == 3);
    _Static_assert(sizeof(float)
                       > 4);
    static_require(B);
}
---
static_assert_bare.tile.c:6:5: error: requirement not met: B == 3
    static_assert(B == 3);
    ^~~~~~~~~~~~~~~~~~~~~
static_assert_bare.tile.c:7:5: error: requirement not met: sizeof(float) > 4
    _Static_assert(sizeof(float)
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
