// Words and signs of C that stand at a wrong place.
kernel void k(float *X, int n)
{
    int restrict a = 1;
    restrict float *b = X;
    int 2nd = 3;
    int c = 1, int d = 2;
    for (int i = 0, i < n, i++)
        X[i] = 1;
    for (int i = 0; i < n)
        X[i] = 1;
    if (n =< 4)
        X[0] = 1;
    if (n => 4)
        X[0] = 1;
    if (n <> 4)
        X[0] = 1;
    int e = n ?: 1;
    int f = sizeof n;
    int g = (float4)n;
    int h = (number)n;
    X(0) = 1;
    _BitInt(7) j = 1;
    __int128 l = 1;
}
void kernel m(float *X)
{
    X[0] = 1;
}
---
misplaced_words.tile.c:4:9: error: only a pointer can be restrict
    int restrict a = 1;
        ^~~~~~~~
hint: write 'float *restrict x'
misplaced_words.tile.c:5:5: error: 'restrict' stands behind the '*'
    restrict float *b = X;
    ^~~~~~~~
hint: write 'float *restrict x'
misplaced_words.tile.c:6:9: error: the name of a variable cannot begin with a digit
    int 2nd = 3;
        ^~~
misplaced_words.tile.c:7:16: error: a type stands in front of a declaration's first name only
    int c = 1, int d = 2;
               ^~~
hint: leave it out, or write ';' for the ','
misplaced_words.tile.c:8:23: error: a ',' cannot stand in front of a condition
    for (int i = 0, i < n, i++)
                      ^
hint: the parts of a 'for' end with ';': 'for (int i = first; i < last; i += step)'
misplaced_words.tile.c:10:26: error: expected ';' and the step of the loop
    for (int i = 0; i < n)
                         ^
hint: write 'for (int i = first; i < last; i += step)', or use while
misplaced_words.tile.c:12:11: error: '=<' is no operator
    if (n =< 4)
          ^~
hint: write '<='
misplaced_words.tile.c:14:11: error: '=>' is no operator
    if (n => 4)
          ^~
hint: write '>='
misplaced_words.tile.c:16:11: error: '<>' is no operator
    if (n <> 4)
          ^~
hint: write '!='
misplaced_words.tile.c:18:15: error: '?:' without a value is GNU's
    int e = n ?: 1;
              ^
hint: write 'x ? x : y'
misplaced_words.tile.c:19:20: error: 'sizeof' takes a type
    int f = sizeof n;
                   ^
hint: element types have fixed sizes: float 4, half 2, int 4, long 8 bytes
misplaced_words.tile.c:20:14: error: unknown type 'float4'
    int g = (float4)n;
             ^~~~~~
hint: a variable holds a tile; what were members are variables or a last axis of their own
misplaced_words.tile.c:21:14: error: unknown type 'number'
    int h = (number)n;
             ^~~~~~
hint: a conversion is written '(float)x'
misplaced_words.tile.c:22:5: error: only a variable or memory can be assigned to
    X(0) = 1;
    ^~~~
hint: X[i] = value stores one element, store(X + i, value, mask) a tile
misplaced_words.tile.c:23:5: error: '_BitInt' is not supported in kernels
    _BitInt(7) j = 1;
    ^~~~~~~
hint: integers have 8, 16, 32 or 64 bits: int8_t to uint64_t
misplaced_words.tile.c:24:5: error: unknown type '__int128'
    __int128 l = 1;
    ^~~~~~~~
hint: the widest integers are int64_t and uint64_t
misplaced_words.tile.c:26:6: error: 'kernel' stands in front of the type
void kernel m(float *X)
     ^~~~~~
hint: write 'kernel void'
