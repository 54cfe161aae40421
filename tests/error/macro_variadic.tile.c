#define F(a, ...) a
---
macro_variadic.tile.c:1:14: error: macros with '...' are not supported
#define F(a, ...) a
             ^~~
