// What a for loop must be, whether it counts or not.
kernel void k(const float *X, float *Out, int n)
{
    int i = arange(0, 4), u;
    for (int a; a < n; a++)
        store(Out, 1);
    for (u = 0; u < i; u++)
        store(Out + u, 1);
    for (int b = 1; b < i; b *= 2)
        store(Out + b, 1);
    for (int c = 1; c < n; 3 * c)
        store(Out, 1);
    for (const int d = 0; d < n; d++)
        store(Out, 1);
    for (int e = n; e--;)
        store(Out, 1);
    for (const float *p = X; p < X; p++)
        store(Out, 1);
    for (m = 0; m < n; m++)
        store(Out, 1);
}
---
for_meaning.tile.c:19:10: error: unknown name 'm'
    for (m = 0; m < n; m++)
         ^
hint: declare it with its first value: 'auto m = ...;'
for_meaning.tile.c:5:17: error: 'a' is used where it may have no value yet
    for (int a; a < n; a++)
                ^
hint: give 'a' a value where it is declared
for_meaning.tile.c:7:21: error: the bound of a 'for' loop must be one number; this is [4]
    for (u = 0; u < i; u++)
                    ^
hint: max(x) or min(x) makes a tile one number
for_meaning.tile.c:9:21: error: the condition of 'for' must be one truth for the program; this is [4]
    for (int b = 1; b < i; b *= 2)
                    ^~~~~
hint: where(condition, x, y) chooses for each element; load and store take a mask; any(c) and all(c) make one truth
for_meaning.tile.c:11:28: warning: this value is not used
    for (int c = 1; c < n; 3 * c)
                           ^~~~~
for_meaning.tile.c:13:34: error: 'd' is constant
    for (const int d = 0; d < n; d++)
                                 ^
for_meaning.tile.c:15:21: error: an assignment, '++' or '--' is a statement, not part of an expression
    for (int e = n; e--;)
                    ^~~
hint: write it as a statement of its own
for_meaning.tile.c:17:32: error: pointers cannot be compared
    for (const float *p = X; p < X; p++)
                               ^
hint: compare the offsets instead
