// A type's word as the name of a variable: one mistake, whatever uses it.
kernel void k(const float *X, float *Out, int n)
{
    int half = n / 2, view_t = 3;
    for (int i = 0; i < half; i++)
        store(Out + i, X[i + half] * half);
    half = half + 1;
    int first = ~half;
    store(Out + first, (float)(n & half));
    store(Out + frist, 1);
}
kernel void l(float *Out, int bfloat)
{
    store(Out, bfloat);
}
kernel void m(half *Out, int n)
{
    float half half;
    store(Out, nn);
}
---
type_as_name.tile.c:4:9: error: 'half' is a type, no name for a variable
    int half = n / 2, view_t = 3;
        ^~~~
hint: choose another name
type_as_name.tile.c:12:31: error: 'bfloat' is a type, no name for a variable
kernel void l(float *Out, int bfloat)
                              ^~~~~~
hint: choose another name
type_as_name.tile.c:18:11: error: two types in one declaration
    float half half;
          ^~~~
