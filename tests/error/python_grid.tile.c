kernel void k(float *Out, int n, constexpr int BLOCK)
{
    store(Out, n);
}
launch_grid(k, lambda meta: cdiv(n, meta["BLOCK"]));
---
python_grid.tile.c:5:16: error: 'lambda' is Python's, and kernel files are C
launch_grid(k, lambda meta: cdiv(n, meta["BLOCK"]));
               ^~~~~~
hint: a grid is an expression, such as cdiv(n, BLOCK); scan takes the name of a static helper
