// '//' is a comment here, in which what is missing stands.
static int half_of(int n)
{
    return n // 2;
}
kernel void k(float *Out, int n)
{
    int h = n // 2;
    int i = (n // 4) + arange(0, 4);
    store(Out + n // 2, 1);
}
---
python_division.tile.c:4:13: error: expected ';' behind 'return'
    return n // 2;
            ^
hint: '//' begins a comment; '/' divides, and integers toward zero
python_division.tile.c:8:14: error: expected ';' behind the declaration
    int h = n // 2;
             ^
hint: '//' begins a comment; '/' divides, and integers toward zero
python_division.tile.c:9:15: error: expected ')' behind the expression
    int i = (n // 4) + arange(0, 4);
              ^
hint: '//' begins a comment; '/' divides, and integers toward zero
