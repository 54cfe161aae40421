static_assert(2 + 2 ==
              5);
kernel void k(float *X)
{
    X[0] = 1;
}
---
static_assert_bare_file.tile.c:1:1: error: requirement not met: 2 + 2 == 5
static_assert(2 + 2 ==
^~~~~~~~~~~~~~~~~~~~~~
