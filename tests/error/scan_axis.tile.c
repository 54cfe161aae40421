// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = cumsum(zeros(float, 4, 8));
    float b = cummax(zeros(float, 4), exclusive);
    float c = cumsum(n);
}
---
scan_axis.tile.c:4:15: error: 'cumsum' of [4, 8] needs an axis
    float a = cumsum(zeros(float, 4, 8));
              ^~~~~~~~~~~~~~~~~~~~~~~~~~
hint: name it: axis(1)
scan_axis.tile.c:5:39: error: 'exclusive' is no argument of 'cummax'
    float b = cummax(zeros(float, 4), exclusive);
                                      ^~~~~~~~~
hint: cummax(number x, axis axis = the only one, word reverse = no)
scan_axis.tile.c:6:15: error: 'cumsum' takes a tile, not a scalar
    float c = cumsum(n);
              ^~~~~~~~~
