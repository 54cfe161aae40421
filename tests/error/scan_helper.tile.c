// args: -D B=4
static float f(float a, float b)
{
    if (a > b)
        return a;
    return b;
}
static float g(float a)
{
    return a;
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = zeros(float, 4);
    float a = scan(f, x);
    float b = scan(3, x);
    float c = scan(max, x);
    float d = scan(g, x);
}
---
scan_helper.tile.c:15:20: error: 'f' must combine two numbers to one, without memory or branches
    float a = scan(f, x);
                   ^
hint: where(condition, x, y) chooses without a branch
scan_helper.tile.c:16:20: error: 'f' of 'scan' must be the name of a static helper
    float b = scan(3, x);
                   ^
hint: as static float larger(float a, float b) { return maximum(a, b); }; cumsum, cumprod, cummax and cummin need none
scan_helper.tile.c:17:20: error: 'f' of 'scan' must be the name of a static helper
    float c = scan(max, x);
                   ^~~
hint: as static float larger(float a, float b) { return maximum(a, b); }; cumsum, cumprod, cummax and cummin need none
scan_helper.tile.c:18:15: error: 'g' takes 1 argument, and 2 are given
    float d = scan(g, x);
              ^~~~~~~~~~
scan_helper.tile.c:8:14: note: 'g' is declared here
static float g(float a)
             ^
