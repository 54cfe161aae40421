// Statements of C++: one error for each.
kernel void k(float *X, int n)
{
    int *p = new int[4];
    delete X;
    for (auto v : X) {
        n += v;
    }
    float a{1.0f};
    float b(1.0f);
    int c = n <=> 2;
    try {
        n = 1;
    } catch (...) {
        n = 2;
    }
    throw n;
    if (int d = n; d > 0) {
        X[0] = 1;
    }
    if constexpr (n > 0) {
        X[0] = 1;
    }
    auto [e, f] = n;
    [[maybe_unused]] int g = 1;
    static float h(float x)
    {
        return x;
    }
    float j(float x);
    struct s {
        int a;
    } v = {.a = 3};
    X[0] = n;
}
---
from_cpp.tile.c:4:14: error: 'new' is C++'s
    int *p = new int[4];
             ^~~
hint: a program has no heap: a variable can hold a tile: 'float x = zeros(float, 16);'
from_cpp.tile.c:5:5: error: unknown type 'delete'
    delete X;
    ^~~~~~
hint: a program has no heap: leave it out
from_cpp.tile.c:6:17: error: a 'for' over values is C++'s
    for (auto v : X) {
                ^
hint: write 'for (int i = first; i < last; i += step)'
from_cpp.tile.c:9:12: error: '{' gives a variable no value in C
    float a{1.0f};
           ^
hint: write '= value'
from_cpp.tile.c:10:11: error: 'b' cannot get its value in parentheses
    float b(1.0f);
          ^
hint: write '= value'
from_cpp.tile.c:11:15: error: '<=>' is no operator
    int c = n <=> 2;
              ^~~
hint: write (a > b) - (a < b)
from_cpp.tile.c:12:5: error: 'try' is no statement of C
    try {
    ^~~
hint: there are no exceptions: tile_assert(condition, "text") checks
from_cpp.tile.c:17:5: error: unknown type 'throw'
    throw n;
    ^~~~~
hint: there are no exceptions: tile_assert(condition, "text") checks
from_cpp.tile.c:18:9: error: a declaration cannot stand in a condition
    if (int d = n; d > 0) {
        ^~~
hint: declare the variable in front of it
from_cpp.tile.c:21:8: error: 'if constexpr' is C++'s
    if constexpr (n > 0) {
       ^~~~~~~~~
hint: leave 'constexpr' out: a constant condition chooses at compile time
from_cpp.tile.c:24:10: error: several names in '[]' are C++'s
    auto [e, f] = n;
         ^
hint: a function gives one value: 'auto a = split(x, 0); auto b = split(x, 1);'
from_cpp.tile.c:25:5: error: attributes are not supported in kernels
    [[maybe_unused]] int g = 1;
    ^
hint: leave it out
from_cpp.tile.c:26:18: error: functions cannot be declared within functions
    static float h(float x)
                 ^
hint: a helper stands at file scope
from_cpp.tile.c:30:11: error: functions cannot be declared within functions
    float j(float x);
          ^
hint: a helper stands at file scope
from_cpp.tile.c:31:5: error: structs are not supported in kernels
    struct s {
    ^~~~~~
hint: pass each member as a parameter of its own; an array of structs is passed once for each type in it
