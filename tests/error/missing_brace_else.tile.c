// The '}' in front of an 'else' is missing; the rest is read as usual.
kernel void a(float *X, int n)
{
    if (n > 3) {
        store(X, 1);
        store(X, 2);
    else {
        store(X, 3);
    }
    n = ;
}
kernel void b(float *X, int n)
{
    if (n > 3)
        store(X, 1);
        store(X, 2);
    else
        store(X, 3);
}
---
missing_brace_else.tile.c:6:21: error: expected '}' in front of 'else'
        store(X, 2);
                    ^
missing_brace_else.tile.c:4:16: note: to match this '{'
    if (n > 3) {
               ^
missing_brace_else.tile.c:10:9: error: unexpected ';', expected an expression
    n = ;
        ^
missing_brace_else.tile.c:17:5: error: 'else' without 'if'
    else
    ^~~~
hint: several statements under an 'if' stand in braces
