// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int i = arange(0, B);
    float a = X[i];
    float x = load(X + i);
    float b = x[0];
    float c = n[0];
    float d = *(X + i);
    float e = *n;
}
---
index.tile.c:5:15: error: '[]' takes one element, and the index is [4]
    float a = X[i];
              ^~~~
hint: load(pointer + index, mask) loads a tile, store(pointer + index, value, mask) stores one
index.tile.c:7:15: error: '[]' takes a pointer, not 'float [4]'
    float b = x[0];
              ^~~~
hint: a tile has no single elements; gather(x, index, axis(k)) picks some
index.tile.c:8:15: error: '[]' takes a pointer, not 'int'
    float c = n[0];
              ^~~~
hint: a scalar is its one element: leave the index out
index.tile.c:9:15: error: '*' and '[]' take one element, and these are [4] addresses
    float d = *(X + i);
              ^~~~~~~~
hint: load(pointer, mask) and store(pointer, value, mask) take a tile
index.tile.c:10:15: error: '*' takes a pointer, not 'int'
    float e = *n;
              ^~
