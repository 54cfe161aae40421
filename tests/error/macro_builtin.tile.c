#define max(a, b) ((a) > (b) ? (a) : (b))
---
macro_builtin.tile.c:1:9: error: 'max' is a built-in and cannot be a macro
#define max(a, b) ((a) > (b) ? (a) : (b))
        ^~~
