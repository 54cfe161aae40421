// A for loop takes all that a while loop does, and no more.
kernel void k(float *X, int n)
{
    for (int a = 0; a < n, n > 2; a++)
        n = 1;
    for (int b = 0; b < n; b++; n--)
        n = 1;
    for (int c = 0)
        n = 1;
    for (flaot d = 0; d < n; d++)
        n = 1;
    for (int e = 0; e < n; e++, int f = 0)
        n = 1;
    do
        n = 1;
    until (n);
    do {
        n = 1 2; // the body is checked all the same
    } while (n = 0);
}
---
for_form.tile.c:4:26: error: the comma operator is not supported in kernels
    for (int a = 0; a < n, n > 2; a++)
                         ^
hint: join conditions with '&&'
for_form.tile.c:6:31: error: expected ')' behind the step
    for (int b = 0; b < n; b++; n--)
                              ^
for_form.tile.c:8:19: error: expected ';' behind the declaration
    for (int c = 0)
                  ^
for_form.tile.c:10:10: error: unknown type 'flaot'
    for (flaot d = 0; d < n; d++)
         ^~~~~
hint: did you mean 'float'?
for_form.tile.c:12:33: error: unexpected 'int', expected an expression
    for (int e = 0; e < n; e++, int f = 0)
                                ^~~
for_form.tile.c:16:5: error: expected 'while' behind the body of a do loop
    until (n);
    ^~~~~
hint: write 'do { ... } while (condition);'
for_form.tile.c:18:14: error: expected ';' behind the expression
        n = 1 2; // the body is checked all the same
             ^
for_form.tile.c:19:16: error: an assignment stands as a condition
    } while (n = 0);
               ^
hint: compare with '=='
