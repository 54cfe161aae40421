// What is left outside of any function is one error.
kernel void a(float *X, int n)
{
    if (n)
        n = 2;
    }
    n = 3;
    n = 4;
}
kernel void b(int n)
{
    n = ;
}
---
surplus_brace.tile.c:7:5: error: unexpected 'n', expected a kernel, a static function or a constant
    n = 3;
    ^
surplus_brace.tile.c:12:9: error: unexpected ';', expected an expression
    n = ;
        ^
