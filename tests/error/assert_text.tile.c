// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    tile_assert(n > 0);
    tile_assert(n > 0, n);
    tile_print(n);
}
---
assert_text.tile.c:4:5: error: 'text' of 'tile_assert' is missing
    tile_assert(n > 0);
    ^~~~~~~~~~~~~~~~~~
hint: tile_assert(condition c, text text)
assert_text.tile.c:5:24: error: 'text' of 'tile_assert' must be a text in quotes
    tile_assert(n > 0, n);
                       ^
hint: tile_assert(condition c, text text)
assert_text.tile.c:6:16: error: 'text' of 'tile_print' must be a text in quotes
    tile_print(n);
               ^
hint: tile_print(text text, number x)
