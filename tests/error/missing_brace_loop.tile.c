// The '}' of the loop is missing, which is seen by where the last one stands.
kernel void a(float *X, int n)
{
    if (n > 0) {
        n = 1;
    }
    for (int i = 0; i < n; i++) {
        store(X + i, 1);
    store(X, 2);
}
---
missing_brace_loop.tile.c:10:2: error: unexpected end of the file, expected '}'
}
 ^
missing_brace_loop.tile.c:7:33: note: to match this '{'
    for (int i = 0; i < n; i++) {
                                ^
