// A for loop counts: everything else is an error with the form to write.
kernel void k(float *X, int n)
{
    int i;
    for (i = 0; i < n; i++)
        n = 1;
    for (int a = 0; a != n; a++)
        n = 1;
    for (int b = 0; n < 3; b++)
        n = 1;
    for (int c = 0; c < n; n++)
        n = 1;
    for (int d = 0; d < n; d *= 2)
        n = 1;
    for (int e = 0, f = 1; e < n; e++)
        n = 1;
    for (int g = 0; g < n; g++, n++)
        n = 1;
    for (int h; h < n; h++)
        n = 1;
    for (;;)
        n = 1;
    for (int j = 0; j < n;)
        n = 1 2; // the body is checked all the same
}
---
for_form.tile.c:5:10: error: a for loop declares its counter
    for (i = 0; i < n; i++)
         ^
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:7:21: error: a for loop must compare its counter 'a' with a bound
    for (int a = 0; a != n; a++)
                    ^~~~~~
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:9:21: error: a for loop must compare its counter 'b' with a bound
    for (int b = 0; n < 3; b++)
                    ^~~~~
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:11:28: error: a for loop must step its counter 'c' by '+=' or '++'
    for (int c = 0; c < n; n++)
                           ^~~
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:13:28: error: a for loop must step its counter 'd' by '+=' or '++'
    for (int d = 0; d < n; d *= 2)
                           ^~~~~~
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:15:19: error: a for loop has one counter
    for (int e = 0, f = 1; e < n; e++)
                  ^
hint: count others in the body
for_form.tile.c:17:31: error: a for loop has one step
    for (int g = 0; g < n; g++, n++)
                              ^
hint: count others in the body
for_form.tile.c:19:14: error: the counter needs a first value
    for (int h; h < n; h++)
             ^
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:21:10: error: a for loop declares its counter
    for (;;)
         ^
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:23:27: error: a for loop needs a step
    for (int j = 0; j < n;)
                          ^
hint: write 'for (int i = first; i < last; i += step)', or use while
for_form.tile.c:24:14: error: expected ';' behind the expression
        n = 1 2; // the body is checked all the same
             ^
