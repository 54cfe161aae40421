// Parameters that kernels cannot have.
kernel void a(float x[4])
{
}
kernel void b(float **x)
{
}
kernel void c(int (*f)(int))
{
}
kernel void d(int n = 3)
{
}
kernel void e(float)
{
}
kernel void f(uint n, float16 *X)
{
}
kernel void g(restrict int n)
{
}
---
c_parameters.tile.c:2:22: error: arrays are not supported in kernels
kernel void a(float x[4])
                     ^
hint: declare a pointer: 'float *x'
c_parameters.tile.c:5:22: error: pointers to pointers are not supported in kernels
kernel void b(float **x)
                     ^
hint: rows of one array are 'X + row * N', where N is what lies between two
c_parameters.tile.c:8:19: error: function pointers are not supported in kernels
kernel void c(int (*f)(int))
                  ^
c_parameters.tile.c:11:21: error: a parameter cannot have a default
kernel void d(int n = 3)
                    ^
hint: tune(kernel, name, value) gives a constexpr parameter its candidates
c_parameters.tile.c:14:20: error: unexpected ')', expected the name of a parameter
kernel void e(float)
                   ^
c_parameters.tile.c:17:15: error: unknown type 'uint'
kernel void f(uint n, float16 *X)
              ^~~~
hint: write 'unsigned'
c_parameters.tile.c:20:15: error: 'restrict' stands behind the '*'
kernel void g(restrict int n)
              ^~~~~~~~
hint: write 'float *restrict x'
