#define TWICE(x) \ 
    (2 * (x))
kernel void k(float *X)
{
    store(X, TWICE(X[0]));
}
---
splice_blank.tile.c:1:18: error: white space behind this '\' keeps it from joining the next line
#define TWICE(x) \ 
                 ^
