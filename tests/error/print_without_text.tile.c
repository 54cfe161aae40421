// tile_print and tile_assert without their texts, and with what stands elsewhere.
kernel void k(float *Out, int n)
{
    tile_print(n);
    tile_print(n, "n");
    tile_assert(n > 0, n);
    tile_assert("n is positive", n > 0);
    tile_print('n', n);
    tile_print("n");
}
---
print_without_text.tile.c:4:16: error: 'text' of 'tile_print' must be a text in quotes
    tile_print(n);
               ^
hint: tile_print(text text, number x)
print_without_text.tile.c:5:16: error: 'text' of 'tile_print' must be a text in quotes
    tile_print(n, "n");
               ^
hint: tile_print(text text, number x)
print_without_text.tile.c:6:24: error: 'text' of 'tile_assert' must be a text in quotes
    tile_assert(n > 0, n);
                       ^
hint: tile_assert(condition c, text text)
print_without_text.tile.c:7:17: error: a text is no value
    tile_assert("n is positive", n > 0);
                ^~~~~~~~~~~~~~~
hint: texts are for tile_assert, tile_print and the requirements
print_without_text.tile.c:8:16: error: 'text' of 'tile_print' must be a text in quotes
    tile_print('n', n);
               ^~~
hint: a text stands in double quotes
print_without_text.tile.c:9:5: error: 'x' of 'tile_print' is missing
    tile_print("n");
    ^~~~~~~~~~~~~~~
hint: tile_print(text text, number x)
