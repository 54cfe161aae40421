// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto v = view(Out, n, n);
    tile_store(v, 0, zeros(float, 4));
    tile_store(v, 0, 0, 1);
    tile_store(v, 0, 0.5f, zeros(float, 4));
    tile_store(v, 0, 0, X);
    tile_store(Out, 0, zeros(float, 4));
}
---
tile_store_arguments.tile.c:5:5: error: a view of 2 axes takes 2 indices and then the value; 2 are given
    tile_store(v, 0, zeros(float, 4));
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: tile_store takes its sizes from the value
tile_store_arguments.tile.c:6:25: error: the value must be a tile of 1 to 2 axes, not a scalar
    tile_store(v, 0, 0, 1);
                        ^
hint: full(type, value, sizes...) gives a scalar a shape
tile_store_arguments.tile.c:7:22: error: an index of a view must be one integer, not 'float'
    tile_store(v, 0, 0.5f, zeros(float, 4));
                     ^~~~
tile_store_arguments.tile.c:8:25: error: 'indices_and_value' of 'tile_store' must be a number, not 'const float *'
    tile_store(v, 0, 0, X);
                        ^
hint: load(pointer, mask) reads what a pointer points to
tile_store_arguments.tile.c:9:16: error: 'v' of 'tile_store' must be a view, not 'float *'
    tile_store(Out, 0, zeros(float, 4));
               ^~~
hint: view(pointer, sizes...) makes a view; load and store take pointers
