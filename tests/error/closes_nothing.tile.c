kernel void a(const float *X, float *Out, int n)
{
    float x = load(X + n));
    x = x * 2];
    store(Out, x));
}
---
closes_nothing.tile.c:3:26: error: this ')' closes nothing
    float x = load(X + n));
                         ^
closes_nothing.tile.c:4:14: error: this ']' closes nothing
    x = x * 2];
             ^
closes_nothing.tile.c:5:18: error: this ')' closes nothing
    store(Out, x));
                 ^
