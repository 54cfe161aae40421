// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float a = trans(zeros(float, 4));
    float b = trans(zeros(float, 4, 8), 0);
    float c = trans(zeros(float, 4, 8), 0, 0);
    float d = trans(zeros(float, 4, 8), 0, 2);
}
---
trans.tile.c:4:15: error: 'trans' takes a tile of two axes or more, not [4]
    float a = trans(zeros(float, 4));
              ^~~~~~~~~~~~~~~~~~~~~~
hint: expand_dims(x, 0) makes a row, expand_dims(x, 1) a column
trans.tile.c:5:15: error: 'trans' needs all 2 axes, and 1 is given
    float b = trans(zeros(float, 4, 8), 0);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
trans.tile.c:6:44: error: the axes must be 0 to 1 in another order
    float c = trans(zeros(float, 4, 8), 0, 0);
                                           ^
trans.tile.c:7:44: error: the axes must be 0 to 1 in another order
    float d = trans(zeros(float, 4, 8), 0, 2);
                                           ^
