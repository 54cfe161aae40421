// args: -D B=4
require(k, threads = n, buffering = 1.5);
require(k, vector_width = 2);
require(k, vector_width = 4);
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    store(Out, 1);
}
---
require_values.tile.c:2:22: error: a requirement's value must be an integer known at compile time
require(k, threads = n, buffering = 1.5);
                     ^
hint: use literals and constexpr names in it
require_values.tile.c:2:37: error: a requirement's value must be an integer known at compile time
require(k, threads = n, buffering = 1.5);
                                    ^~~
hint: use literals and constexpr names in it
require_values.tile.c:4:12: error: 'vector_width' is required with two values
require(k, vector_width = 4);
           ^~~~~~~~~~~~~~~~
require_values.tile.c:3:12: note: the other is here
require(k, vector_width = 2);
           ^~~~~~~~~~~~~~~~
