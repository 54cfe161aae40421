// Hints of shapes: reshape where the elements are as many, trans where the axes are exchanged.
kernel void k(float *Out)
{
    float a = zeros(float, 256);
    float b = zeros(float, 16, 16);
    float c = zeros(float, 16, 32);
    float d = zeros(float, 32, 16);
    store(Out + arange(0, 256), b);
    float e = c + d;
    float f = a + zeros(float, 256, 1);
    float g = a + zeros(float, 128);
    float h = load(Out + arange(0, 256) * 1.5f);
}
---
shapes_that_nearly_fit.tile.c:8:5: error: shapes [256] and [16, 16] do not match
    store(Out + arange(0, 256), b);
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: reshape(x, sizes...) gives the same elements another shape
shapes_that_nearly_fit.tile.c:9:15: error: shapes [16, 32] and [32, 16] do not match
    float e = c + d;
              ^~~~~
hint: trans(x) exchanges the last two axes
shapes_that_nearly_fit.tile.c:10:15: error: shapes [256] and [256, 1] do not match
    float f = a + zeros(float, 256, 1);
              ^~~~~~~~~~~~~~~~~~~~~~~~
hint: expand_dims(v, axis) gives a tile a further axis of 1, which broadcasts
shapes_that_nearly_fit.tile.c:11:15: error: shapes [256] and [128] do not match
    float g = a + zeros(float, 128);
              ^~~~~~~~~~~~~~~~~~~~~
hint: each axis must be equal on both sides, or 1 on one of them
shapes_that_nearly_fit.tile.c:12:20: error: an address is moved by an integer, not by 'float [256]'
    float h = load(Out + arange(0, 256) * 1.5f);
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: a cast makes an integer: (int)x; '/' of integers gives the whole part
