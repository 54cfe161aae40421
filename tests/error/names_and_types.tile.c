// Unknown names do not hide other errors, and make none.
kernel void k(const float *X, float *Out, int n)
{
    float a = unknwon + exq(X[0]);
    float b = X[0] % 2;
    for (int i = 0; i < a; i++)
        b += a;
    store(Out + a, b);
    scan(nothing, zeros(float, 4));
    store(X, 1);
}
---
names_and_types.tile.c:4:15: error: unknown name 'unknwon'
    float a = unknwon + exq(X[0]);
              ^~~~~~~
names_and_types.tile.c:4:25: error: unknown function 'exq'
    float a = unknwon + exq(X[0]);
                        ^~~
hint: did you mean 'exp'?
names_and_types.tile.c:9:10: error: unknown name 'nothing'
    scan(nothing, zeros(float, 4));
         ^~~~~~~
names_and_types.tile.c:5:20: error: '%' takes integers, not 'float'
    float b = X[0] % 2;
                   ^
hint: fmod(x, y) is the remainder of floats
names_and_types.tile.c:10:11: error: 'store' through a pointer to const
    store(X, 1);
          ^
hint: declare the parameter without const
