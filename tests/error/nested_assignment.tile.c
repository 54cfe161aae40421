// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int x = 0;
    int y = (x = 3) + x++;
}
---
nested_assignment.tile.c:5:13: error: an assignment, '++' or '--' is a statement, not part of an expression
    int y = (x = 3) + x++;
            ^~~~~~~
hint: write it as a statement of its own
nested_assignment.tile.c:5:23: error: an assignment, '++' or '--' is a statement, not part of an expression
    int y = (x = 3) + x++;
                      ^~~
hint: write it as a statement of its own
