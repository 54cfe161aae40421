// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(X, 1);
    atomic_add(X, 1);
    tile_store(view(X, n), 0, zeros(float, 4));
}
---
store_const.tile.c:4:11: error: 'store' through a pointer to const
    store(X, 1);
          ^
hint: declare the parameter without const
store_const.tile.c:5:16: error: 'atomic_add' through a pointer to const
    atomic_add(X, 1);
               ^
hint: declare the parameter without const
store_const.tile.c:6:16: error: 'tile_store' through a pointer to const
    tile_store(view(X, n), 0, zeros(float, 4));
               ^~~~~~~~~~
hint: declare the parameter without const
