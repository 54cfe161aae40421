// C at file scope that kernels cannot use: each has an error of its own.
struct point {
    int x;
};
typedef int number;
enum mode setting;
union both {
    int i;
};
extern int elsewhere;
int global = 3;
static int counter;
void neither(void)
{
}
kernel int returns(float *X)
{
}
kernel void variadic(float *X, ...)
{
}
static float (*pointer)(float);
---
c_items.tile.c:2:1: error: structs are not supported in kernels
struct point {
^~~~~~
hint: pass each member as a parameter of its own; an array of structs is passed once for each type in it
c_items.tile.c:5:1: error: 'typedef' is not supported in kernels
typedef int number;
^~~~~~~
hint: write '#define NAME type'; members of a struct are parameters of their own
c_items.tile.c:6:1: error: enumerations are not supported in kernels
enum mode setting;
^~~~
hint: at file scope 'enum { A, B };' names constants; what holds one is an int
c_items.tile.c:7:1: error: unions are not supported in kernels
union both {
^~~~~
hint: use bitcast(type, value)
c_items.tile.c:10:1: error: 'extern' is not supported in kernels
extern int elsewhere;
^~~~~~
hint: files are joined with #include
c_items.tile.c:11:1: error: variables at file scope are not supported in kernels
int global = 3;
^~~
hint: write 'constexpr int NAME = value;'
c_items.tile.c:12:1: error: variables at file scope are not supported in kernels
static int counter;
^~~~~~~~~~
hint: write 'constexpr int NAME = value;'
c_items.tile.c:13:6: error: function 'neither' is neither 'kernel' nor 'static'
void neither(void)
     ^~~~~~~
hint: write 'kernel void' for what can be launched, 'static' for a helper
c_items.tile.c:16:8: error: a kernel returns void
kernel int returns(float *X)
       ^~~
hint: results are stored through pointers
c_items.tile.c:19:32: error: '...' is not supported in kernels
kernel void variadic(float *X, ...)
                               ^~~
c_items.tile.c:22:14: error: function pointers are not supported in kernels
static float (*pointer)(float);
             ^
