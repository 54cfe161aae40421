# 1 "kernel.c"
kernel void k(float *X)
{
    store(X, 0);
}
---
line_marker.tile.c:1:3: error: lines with '#' and a number are not supported in kernels
# 1 "kernel.c"
  ^
hint: a preprocessor leaves them out with '-P'; a comment is written '// text'
