kernel void k(const float *X, float *Out)
{
    auto v = view(X, 16);
    store(Out + X, 1.0f);
    tile_print('x', 1);
    store(Out, tile_load(v, 0, 0, 4, 4));
    store(Out, 2.0d);
    store(Out, 0f);
}
---
operands_of_wrong_kinds.tile.c:4:15: error: two pointers cannot be added
    store(Out + X, 1.0f);
              ^
hint: an address is one pointer and an offset: X + i
operands_of_wrong_kinds.tile.c:5:16: error: 'text' of 'tile_print' must be a text in quotes
    tile_print('x', 1);
               ^~~
hint: a text stands in double quotes
operands_of_wrong_kinds.tile.c:6:16: error: a view of one axis takes an index and a size; 4 are given
    store(Out, tile_load(v, 0, 0, 4, 4));
               ^~~~~~~~~~~~~~~~~~~~~~~~
hint: write tile_load(v, index, size)
operands_of_wrong_kinds.tile.c:7:16: error: this is not a number
    store(Out, 2.0d);
               ^~~~
hint: a double is written '(double)1.0'; without suffix a constant takes the other operand's type
operands_of_wrong_kinds.tile.c:8:16: error: this is not a number
    store(Out, 0f);
               ^~
hint: a float has a point: 1.0f
