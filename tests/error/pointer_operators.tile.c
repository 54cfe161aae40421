// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    int a = X - Out;
    bool b = X == Out;
    bool c = !X;
    bool d = X && n;
    float *e = Out * 2;
    float f = -X;
    float *g = Out + 1.5f;
}
---
pointer_operators.tile.c:4:15: error: pointers cannot be subtracted
    int a = X - Out;
              ^
hint: keep the offsets instead, and add them to the parameter where you load
pointer_operators.tile.c:5:16: error: pointers cannot be compared
    bool b = X == Out;
               ^~
hint: compare the offsets instead
pointer_operators.tile.c:6:14: error: '!' does not take a pointer
    bool c = !X;
             ^
hint: a pointer parameter is never null
pointer_operators.tile.c:7:14: error: a condition cannot be 'const float *'
    bool d = X && n;
             ^
hint: a pointer parameter is never null
pointer_operators.tile.c:8:20: error: '*' does not take a pointer
    float *e = Out * 2;
                   ^
pointer_operators.tile.c:9:15: error: '-' does not take a pointer
    float f = -X;
              ^
pointer_operators.tile.c:10:16: error: an address is moved by an integer, not by 'float'
    float *g = Out + 1.5f;
               ^~~~~~~~~~
hint: a cast makes an integer: (int)x; '/' of integers gives the whole part
