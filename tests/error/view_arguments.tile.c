// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto a = view(X);
    auto b = view(X + arange(0, 4), n);
    auto c = view(n, n);
    auto d = view(X, arange(0, 4));
    auto e = view_strided(X, n, n, 1);
    auto f = view(X, 1, 1, 1, 1, 1, 1, 1);
    auto g = view(X, 1.5f);
}
---
view_arguments.tile.c:4:14: error: 'sizes' of 'view' is missing
    auto a = view(X);
             ^~~~~~~
hint: view(pointer p, scalar sizes...)
view_arguments.tile.c:5:19: error: a view begins at one address, not at [4]
    auto b = view(X + arange(0, 4), n);
                  ^~~~~~~~~~~~~~~~
view_arguments.tile.c:6:19: error: 'p' of 'view' must be a pointer, not 'int'
    auto c = view(n, n);
                  ^
hint: an address is a pointer and an offset: X + i, where X is a parameter 'float *X'
view_arguments.tile.c:7:22: error: 'sizes' of 'view' must be one number for the program, not [4]
    auto d = view(X, arange(0, 4));
                     ^~~~~~~~~~~~
view_arguments.tile.c:8:14: error: 'view_strided' takes as many strides as sizes
    auto e = view_strided(X, n, n, 1);
             ^~~~~~~~~~~~~~~~~~~~~~~~
hint: view_strided(pointer, size0, size1, stride0, stride1)
view_arguments.tile.c:9:14: error: a view has at most 6 axes
    auto f = view(X, 1, 1, 1, 1, 1, 1, 1);
             ^~~~~~~~~~~~~~~~~~~~~~~~~~~~
view_arguments.tile.c:10:22: error: 'sizes' of 'view' must be an integer, not 'float'
    auto g = view(X, 1.5f);
                     ^~~~
