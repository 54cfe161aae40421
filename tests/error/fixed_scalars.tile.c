// args: -D n=3000000000 -D m=-1 -D small=256 -D flag=2 -D rate=1e40 -D h=65520 -D k=1.5 -D X=0 -D far=somewhere -D text=float
kernel void f(const float *X, float *Out, int n, uint64_t m, uint8_t small, bool flag, float rate, half h, int k, int far,
              int text)
{
    store(Out, n + m + small + flag + rate + h + k + far);
}
---
fixed_scalars.tile.c:2:28: error: 'X' is an array, which '-D X' cannot fix
kernel void f(const float *X, float *Out, int n, uint64_t m, uint8_t small, bool flag, float rate, half h, int k, int far,
                           ^
hint: its address and its elements are only known at a launch; -D fixes scalars
<-D n>:1:1: error: 3000000000 does not fit 'n', which is 'int'
3000000000
^~~~~~~~~~
hint: it is -2147483648 to 2147483647
<-D m>:1:1: error: -1 does not fit 'm', which is 'uint64_t'
-1
^~
hint: it is 0 to 18446744073709551615
<-D small>:1:1: error: 256 does not fit 'small', which is 'uint8_t'
256
^~~
hint: it is 0 to 255
<-D flag>:1:1: error: 2 does not fit 'flag', which is 'bool'
2
^
hint: it is 0 or 1
<-D rate>:1:1: error: the value of 'rate' does not fit 'float'
1e40
^~~~
hint: it would be infinity: write INFINITY if that is meant
<-D h>:1:1: error: the value of 'h' does not fit 'half'
65520
^~~~~
hint: it would be infinity: write INFINITY if that is meant
<-D k>:1:1: error: the value of 'k' must be an integer
1.5
^~~
<-D far>:1:1: error: unknown name 'somewhere'
somewhere
^~~~~~~~~
<-D text>:1:1: error: the value of 'text' must be one number
float
^~~~~
