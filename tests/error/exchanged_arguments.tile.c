static float larger(float a, float b)
{
    return maximum(a, b);
}

kernel void a(const float *X, float *Out, int n)
{
    float x = load(X + arange(0, 8));
    store(x, Out + arange(0, 8));
    float y = scan(x, larger);
    float z = scan(x, maximum);
    store(arange(0, 8), x + z, unknown);
}
---
exchanged_arguments.tile.c:12:32: error: unknown name 'unknown'
    store(arange(0, 8), x + z, unknown);
                               ^~~~~~~
exchanged_arguments.tile.c:9:11: error: 'p' of 'store' must be a pointer, not 'float [8]'
    store(x, Out + arange(0, 8));
          ^
hint: an address is a pointer and an offset: X + i, where X is a parameter 'float *X'
exchanged_arguments.tile.c:10:20: error: 'f' of 'scan' must be the name of a static helper
    float y = scan(x, larger);
                   ^
hint: as static float larger(float a, float b) { return maximum(a, b); }; cumsum, cumprod, cummax and cummin need none
exchanged_arguments.tile.c:11:20: error: 'f' of 'scan' must be the name of a static helper
    float z = scan(x, maximum);
                   ^
hint: as static float larger(float a, float b) { return maximum(a, b); }; cumsum, cumprod, cummax and cummin need none
exchanged_arguments.tile.c:12:11: error: 'p' of 'store' must be a pointer, not 'int [8]'
    store(arange(0, 8), x + z, unknown);
          ^~~~~~~~~~~~
hint: an address is a pointer and an offset: X + i, where X is a parameter 'float *X'
