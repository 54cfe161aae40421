// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, zeros(float, 4));
    store(Out, 1, arange(0, 4) < n);
    store(Out + expand_dims(arange(0, 4), 1), zeros(float, 4, 8));
}
---
store_many.tile.c:4:5: error: [4] values for one address
    store(Out, zeros(float, 4));
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add a tile of offsets to the pointer: pointer + arange(0, n)
store_many.tile.c:5:5: error: [4] values for one address
    store(Out, 1, arange(0, 4) < n);
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add a tile of offsets to the pointer: pointer + arange(0, n)
store_many.tile.c:6:5: error: [4, 8] values for [4, 1] addresses
    store(Out + expand_dims(arange(0, 4), 1), zeros(float, 4, 8));
    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add a tile of offsets to the pointer: pointer + arange(0, n)
