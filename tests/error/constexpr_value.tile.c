// args: -D B=1.5 -D C=300 -D F=2 -D L=3 -D D=x
kernel void k(float *Out, constexpr int B, constexpr int8_t C, constexpr bool F, constexpr layout_t L, constexpr int D)
{
    store(Out, B);
}
---
<-D B>:1:1: error: the value of 'B' must be an integer
1.5
^~~
<-D C>:1:1: error: 300 does not fit 'C', which is 'int8_t'
300
^~~
hint: it is -128 to 127
<-D F>:1:1: error: 2 does not fit 'F', which is 'bool'
2
^
hint: it is 0 or 1
<-D L>:1:1: error: the value of 'L' must be a layout
3
^
hint: -D L='layout(0, 1, 2)'
<-D D>:1:1: error: unknown name 'x'
x
^
