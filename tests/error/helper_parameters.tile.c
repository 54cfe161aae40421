// args: -D B=4
static void f(view_t v, float *p)
{
}
static void g(constexpr int N)
{
}
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    f(X, X);
    f(view(X, n), Out);
    f(view(X, n), n);
    g(n);
}
---
helper_parameters.tile.c:10:7: error: parameter 'v' of 'f' takes a view, not 'const float *'
    f(X, X);
      ^
helper_parameters.tile.c:10:10: error: parameter 'p' of 'f' would drop the const of 'const float *'
    f(X, X);
         ^
hint: declare it 'const float *'
helper_parameters.tile.c:12:19: error: parameter 'p' of 'f' takes 'float *', not 'int'
    f(view(X, n), n);
                  ^
hint: the address of X[i] is 'X + i', and 'X[i] = value' stores there
helper_parameters.tile.c:13:7: error: parameter 'N' of 'g' is constexpr, and this is not known at compile time
    g(n);
      ^
