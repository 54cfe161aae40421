extern "C" kernel void a(float *Out)
{
    Out[0] = 1;
}
kernel void b(device const float *X, float *Out)
{
    threadgroup float tile[32];
    Out[0] = X[0];
}
kernel void c(constant float *X, float *Out)
{
    Out[0] = X[0];
}
extern kernel void d(float *Out)
{
    Out[0] = 1;
}
launch_grid(d, ceil(4 / 2.5f));
tune(d, BLOCK = 256, 512);
---
memory_of_metal.tile.c:1:1: error: 'extern' is not supported in kernels
extern "C" kernel void a(float *Out)
^~~~~~
hint: leave it out: kernels have C's names
memory_of_metal.tile.c:5:15: error: unknown type 'device'
kernel void b(device const float *X, float *Out)
              ^~~~~~
hint: leave it out: every pointer of a kernel is to global memory
memory_of_metal.tile.c:10:15: error: unknown type 'constant'
kernel void c(constant float *X, float *Out)
              ^~~~~~~~
hint: leave it out: every pointer of a kernel is to global memory
memory_of_metal.tile.c:14:1: error: 'extern' is not supported in kernels
extern kernel void d(float *Out)
^~~~~~
hint: files are joined with #include
memory_of_metal.tile.c:19:15: error: candidates stand behind a ',', not a '='
tune(d, BLOCK = 256, 512);
              ^
hint: write 'tune(KERNEL, NAME, value, value)'
