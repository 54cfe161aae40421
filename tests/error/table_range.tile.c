static const int t[] = {[0 ... 3] = 1};
kernel void k(float *X)
{
    X[0] = t[0];
}
---
table_range.tile.c:1:28: error: a range of elements is GNU's
static const int t[] = {[0 ... 3] = 1};
                           ^~~
hint: each element has a value of its own: [0] = x, [1] = x
