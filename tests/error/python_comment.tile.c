# A comment of Python's.
kernel void k(float *Out)
{
    store(Out, 1);
}
---
python_comment.tile.c:1:3: error: unknown directive '#A'
# A comment of Python's.
  ^
hint: a comment is written '// text'
