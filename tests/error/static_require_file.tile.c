// args: -D B=4
constexpr int SIZE = 3;
static_require(SIZE == 4, "the size is 4");
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, 1);
}
---
static_require_file.tile.c:3:1: error: requirement not met: the size is 4
static_require(SIZE == 4, "the size is 4");
^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
