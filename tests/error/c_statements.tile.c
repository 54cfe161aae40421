// Statements of C that kernels cannot use.
kernel void k(float *X, int n)
{
    enum { ONE };
    goto out;
    static int s = 0;
    int nested(int x);
    n = 1, n = 2;
    else n = 3;
out:
    register int r = 0;
    volatile int v = 0;
}
---
c_statements.tile.c:4:5: error: enumerations are not supported in kernels
    enum { ONE };
    ^~~~
hint: at file scope 'enum { A, B };' names constants; what holds one is an int
c_statements.tile.c:5:5: error: 'goto' is not supported in kernels
    goto out;
    ^~~~
hint: use if, while, break and continue
c_statements.tile.c:6:5: error: static variables are not supported in kernels
    static int s = 0;
    ^~~~~~~~~~
hint: what outlives a program stands in an array of the caller's; 'static const' makes a constant
c_statements.tile.c:7:9: error: functions cannot be declared within functions
    int nested(int x);
        ^~~~~~
hint: a helper stands at file scope
c_statements.tile.c:8:10: error: the comma operator is not supported in kernels
    n = 1, n = 2;
         ^
hint: write two statements
c_statements.tile.c:9:5: error: 'else' without 'if'
    else n = 3;
    ^~~~
hint: several statements under an 'if' stand in braces
c_statements.tile.c:10:1: error: labels are not supported in kernels
out:
^~~
hint: use if, while, break and continue
c_statements.tile.c:11:5: error: 'register' is not supported in kernels
    register int r = 0;
    ^~~~~~~~
hint: leave it out
c_statements.tile.c:12:5: error: 'volatile' is not supported in kernels
    volatile int v = 0;
    ^~~~~~~~
hint: leave it out: each load reads memory once
