#define F(a, b) a + b
kernel void k(int n)
{
    n = F(n);
}
---
macro_arguments.tile.c:4:9: error: macro 'F' takes 2 arguments, but 1 is given
    n = F(n);
        ^~~~
macro_arguments.tile.c:1:9: note: macro 'F' is defined here
#define F(a, b) a + b
        ^
