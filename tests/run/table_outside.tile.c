// An index outside of a table is reported with its program and element, once for each place.
// devices: interp
// run: X=@x.npy Out=new:f32[8] n=5
// array x.npy i8[8]: 0 1 2 -1 3 1 127 0
#include <tilec/kernel.h>
static const float t[3] = {1, 2, 3};
launch_grid(k, 2);
kernel void k(const int8_t *restrict X, float *restrict Out, int n)
{
    int i = program_id(0) * 4 + arange(0, 4);
    store(Out + i, t[load(X + i)] + t[program_id(0) * n]);
}
---
run 1
table_outside.tile.c:11:20: error: index -1 is outside of table 't', which has 3 elements, in program (0, 0, 0), element [3] (and 2 more times)
    store(Out + i, t[load(X + i)] + t[program_id(0) * n]);
                   ^~~~~~~~~~~~~~
table_outside.tile.c:11:37: error: index 5 is outside of table 't', which has 3 elements, in program (1, 0, 0)
    store(Out + i, t[load(X + i)] + t[program_id(0) * n]);
                                    ^~~~~~~~~~~~~~~~~~~~
[status 1]
