// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    layout_t a = layout(0, 0);
    layout_t b = layout(0, 2);
    layout_t c = layout(0, 1, .xor_mask = 4);
    layout_t d = layout(0, 1, .per_thread = 3);
    layout_t e = layout(0, 1, .per = 3);
    int f = arange_in(layout(0, 1), 0, 8);
    float g = convert_layout(zeros(float, 3), layout(0, 1));
    int h = arange_in(B, 0, 4);
}
---
layouts.tile.c:4:28: error: the bit order must be 0 to 1 in some order
    layout_t a = layout(0, 0);
                           ^
layouts.tile.c:5:28: error: the bit order must be 0 to 1 in some order
    layout_t b = layout(0, 2);
                           ^
layouts.tile.c:6:43: error: xor_mask must be below the 4 elements
    layout_t c = layout(0, 1, .xor_mask = 4);
                                          ^
layouts.tile.c:7:45: error: per_thread must be a power of two up to the 4 elements
    layout_t d = layout(0, 1, .per_thread = 3);
                                            ^
layouts.tile.c:8:31: error: 'layout' has no parameter that is named '.per'
    layout_t e = layout(0, 1, .per = 3);
                              ^~~~~~~~
hint: layout(constant bit_order..., named xor_mask = 0, named per_thread = 1)
layouts.tile.c:9:13: error: the layout is for 4 elements, and this tile has 8
    int f = arange_in(layout(0, 1), 0, 8);
            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~
layouts.tile.c:10:15: error: the layout is for 4 elements, and this tile has 3
    float g = convert_layout(zeros(float, 3), layout(0, 1));
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: explicit layouts need sizes that are powers of two
layouts.tile.c:11:23: error: 'l' of 'arange_in' must be a layout, not 'int'
    int h = arange_in(B, 0, 4);
                      ^
