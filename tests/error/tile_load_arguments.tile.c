// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto v = view(X, n, n);
    float a = tile_load(v, 0, 4);
    float b = tile_load(v, 0, 0, 1, 1, 1);
    float c = tile_load(v, 0, 0, n);
    float d = tile_load(X, 0, 4);
    float e = tile_load_or(zeros(float, 4), v, 0, 0, 4);
    float f = tile_load(v, 0, arange(0, 4), 4);
    float g = tile_load(v, 0, 0, 0);
}
---
tile_load_arguments.tile.c:5:15: error: a view of 2 axes takes 2 indices and then 1 to 2 sizes; 2 are given
    float a = tile_load(v, 0, 4);
              ^~~~~~~~~~~~~~~~~~
hint: sizes are for the last axes of the view
tile_load_arguments.tile.c:6:15: error: a view of 2 axes takes 2 indices and then 1 to 2 sizes; 5 are given
    float b = tile_load(v, 0, 0, 1, 1, 1);
              ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: sizes are for the last axes of the view
tile_load_arguments.tile.c:7:34: error: a size must be a constant from 1 to 1048576
    float c = tile_load(v, 0, 0, n);
                                 ^
tile_load_arguments.tile.c:8:25: error: 'v' of 'tile_load' must be a view, not 'const float *'
    float d = tile_load(X, 0, 4);
                        ^
hint: view(pointer, sizes...) makes a view; load and store take pointers
tile_load_arguments.tile.c:9:28: error: the fill must be a scalar, not [4]
    float e = tile_load_or(zeros(float, 4), v, 0, 0, 4);
                           ^~~~~~~~~~~~~~~
tile_load_arguments.tile.c:10:31: error: 'indices_and_sizes' of 'tile_load' must be one number for the program, not [4]
    float f = tile_load(v, 0, arange(0, 4), 4);
                              ^~~~~~~~~~~~
tile_load_arguments.tile.c:11:34: error: a size must be a constant from 1 to 1048576
    float g = tile_load(v, 0, 0, 0);
                                 ^
