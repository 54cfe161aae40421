// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    for (unsigned j = 0; j < n; j++)
        store(Out + j, 1);
    for (float x = 0; x < n; x++)
        store(Out, x);
}
---
counter_type.tile.c:4:19: error: the counter of a 'for' loop must be a signed integer
    for (unsigned j = 0; j < n; j++)
                  ^
hint: declare 'j' int or long
counter_type.tile.c:6:16: error: the counter of a 'for' loop must be a signed integer
    for (float x = 0; x < n; x++)
               ^
hint: declare 'x' int or long
