// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = join(zeros(float, 4), zeros(float, 8));
    float b = split(zeros(float, 4), 0);
    float c = split(zeros(float, 4, 2), 2);
    float d = split(zeros(float, 4, 2));
}
---
join_split.tile.c:4:15: error: shapes [4] and [8] do not match
    float a = join(zeros(float, 4), zeros(float, 8));
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
join_split.tile.c:5:15: error: 'split' takes a tile whose last axis is 2, not [4]
    float b = split(zeros(float, 4), 0);
              ^~~~~~~~~~~~~~~~~~~~~~~~~
join_split.tile.c:6:41: error: 'split' gives part 0 or 1, not 2
    float c = split(zeros(float, 4, 2), 2);
                                        ^
join_split.tile.c:7:15: error: 'part' of 'split' is missing
    float d = split(zeros(float, 4, 2));
              ^~~~~~~~~~~~~~~~~~~~~~~~~
hint: split(number x, constant part)
