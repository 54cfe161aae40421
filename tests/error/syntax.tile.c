// Each statement has its own error, and only one.
kernel void k(float *X, int n)
{
    int a = 1 +;
    int b = (1 + 2;
    n = 3
    int c = 4;
    if n > 2)
        n = 1;
    if (n > 2
        n = 1;
    n + 1 = 3;
    X[2] = 1;
    *X = 1;
    3++;
    int for = 2;
    foo x = 2;
    return n
}
---
syntax.tile.c:4:16: error: unexpected ';', expected an expression
    int a = 1 +;
               ^
syntax.tile.c:5:19: error: expected ')' behind the expression
    int b = (1 + 2;
                  ^
syntax.tile.c:6:10: error: expected ';' behind the expression
    n = 3
         ^
syntax.tile.c:8:7: error: expected '(' behind 'if'
    if n > 2)
      ^
syntax.tile.c:10:14: error: expected ')' behind the condition
    if (n > 2
             ^
syntax.tile.c:12:5: error: only a variable or memory can be assigned to
    n + 1 = 3;
    ^~~~~
syntax.tile.c:15:5: error: only a variable or memory can be assigned to
    3++;
    ^
syntax.tile.c:16:9: error: expected the name of a variable, but 'for' is a word of the language
    int for = 2;
        ^~~
syntax.tile.c:17:5: error: unknown type 'foo'
    foo x = 2;
    ^~~
syntax.tile.c:18:13: error: expected ';' behind 'return'
    return n
            ^
