// What C has a ':' for is none of Python's.
kernel void k(const float *X, float *Out, int n)
{
    if n > 3 ? true : false { store(Out, 1); }
    for i in X[0:4] { store(Out, 2); }
    while n > 3: n -= 1
}
---
python_one_line_if.tile.c:4:7: error: expected '(' behind 'if'
    if n > 3 ? true : false { store(Out, 1); }
      ^
python_one_line_if.tile.c:5:9: error: expected '(' behind 'for'
    for i in X[0:4] { store(Out, 2); }
        ^
hint: write 'for (int i = first; i < last; i += step)', or use while
python_one_line_if.tile.c:6:16: error: blocks stand in braces, not behind a ':'
    while n > 3: n -= 1
               ^
hint: write 'while (condition) { ... }'
