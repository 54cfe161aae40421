// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    float x = view(X, n);
    int y = X;
    float *p = X;
    int *q = Out;
    layout_t l = 3;
    float z = store(Out, 1);
}
---
declare_type.tile.c:4:15: error: 'x' takes 'float', not a view
    float x = view(X, n);
              ^~~~~~~~~~
hint: declare it 'auto'
declare_type.tile.c:5:13: error: 'y' takes 'int', not 'const float *'
    int y = X;
            ^
hint: load(pointer, mask) reads what a pointer points to
declare_type.tile.c:6:16: error: 'p' would drop the const of 'const float *'
    float *p = X;
               ^
hint: declare it 'const float *'
declare_type.tile.c:7:14: error: 'q' takes 'int *', not 'float *'
    int *q = Out;
             ^~~
declare_type.tile.c:8:18: error: 'l' takes a layout, not 'int'
    layout_t l = 3;
                 ^
declare_type.tile.c:9:15: error: 'z' takes a value, and this call returns nothing
    float z = store(Out, 1);
              ^~~~~~~~~~~~~
