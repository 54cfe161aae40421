// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int x = keep + axis(0);
}
---
word_as_value.tile.c:4:13: error: 'keep' is not a value
    int x = keep + axis(0);
            ^~~~
word_as_value.tile.c:4:20: error: 'axis' cannot stand here
    int x = keep + axis(0);
                   ^~~~
hint: names the axis of a reduction, a scan or gather: sum(x, axis(1))
