// What a switch and its cases must be.
kernel void k(float *X, const unsigned *U, int n, float f)
{
    int i = arange(0, 4);
    switch (i) {
    case 1:
        break;
    }
    switch (i + 1) {
    }
    switch (f) {
    case 1:
        break;
    }
    switch (X) {
    }
    switch (n) {
    case 1:
        break;
    case 2:
    case 1:
        break;
    case 2.5f:
        break;
    case n:
        break;
    case 0 + 2:
        break;
    }
    switch (U[0]) {
    case -1:
        break;
    case 4294967295:
        break;
    }
    int x;
    switch (n) {
    case 1:
        x = 1;
        break;
    }
    X[0] = x;
}
---
switch.tile.c:5:13: error: 'switch' chooses once for the program; this is [4]
    switch (i) {
            ^
hint: where(condition, x, y) chooses for each element, and so does t[i] of a table
switch.tile.c:9:13: error: 'switch' chooses once for the program; this is [4]
    switch (i + 1) {
            ^~~~~
hint: where(condition, x, y) chooses for each element, and so does t[i] of a table
switch.tile.c:11:13: error: 'switch' takes an integer, not 'float'
    switch (f) {
            ^
switch.tile.c:15:13: error: 'switch' takes an integer, not 'float *'
    switch (X) {
            ^
switch.tile.c:21:10: error: the case 1 is there twice
    case 1:
         ^
switch.tile.c:18:10: note: the first one is here
    case 1:
         ^
switch.tile.c:23:10: error: the value of a case must be an integer known at compile time
    case 2.5f:
         ^~~~
hint: use literals and constexpr names in it
switch.tile.c:25:10: error: the value of a case must be an integer known at compile time
    case n:
         ^
hint: declare the parameter 'constexpr int n', or use literals and constexpr names
switch.tile.c:27:10: error: the case 2 is there twice
    case 0 + 2:
         ^~~~~
switch.tile.c:20:10: note: the first one is here
    case 2:
         ^
switch.tile.c:33:10: error: the case 4294967295 is there twice
    case 4294967295:
         ^~~~~~~~~~
switch.tile.c:31:10: note: the first one is here
    case -1:
         ^~
switch.tile.c:42:12: error: 'x' is used where it may have no value yet
    X[0] = x;
           ^
hint: give 'x' a value where it is declared
