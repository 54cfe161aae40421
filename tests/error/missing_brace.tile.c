// The next function shows that a brace is missing; it is read as usual.
kernel void a(float *X, int n)
{
    if (n) {
        n = 2;

kernel void b(float *X, int n)
{
    n = ;
}
---
missing_brace.tile.c:5:15: error: expected '}' before the next function
        n = 2;
              ^
missing_brace.tile.c:4:12: note: to match this '{'
    if (n) {
           ^
missing_brace.tile.c:9:9: error: unexpected ';', expected an expression
    n = ;
        ^
