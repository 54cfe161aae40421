kernel void a(const float *X float *Out, int n)
{
    store(Out, X[0]);
}
kernel void b(const float *X, float *Out, int n)
{
    float x = load(X + n n > 3);
    store(Out x);
    store(Out 3, n);
}
---
missing_commas.tile.c:1:29: error: expected ',' behind the parameter
kernel void a(const float *X float *Out, int n)
                            ^
missing_commas.tile.c:7:25: error: expected ',' or ')' behind the argument
    float x = load(X + n n > 3);
                        ^
missing_commas.tile.c:8:14: error: expected ',' or ')' behind the argument
    store(Out x);
             ^
missing_commas.tile.c:9:14: error: expected ',' or ')' behind the argument
    store(Out 3, n);
             ^
