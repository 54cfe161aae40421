// -D makes a macro of a name that is no parameter: then the file's constant has none.
// args: -D SIZE=64
constexpr int SIZE = 128;
kernel void k(float *Out)
{
    store(Out + arange(0, SIZE), 1);
}
---
constant_named_again.tile.c:3:15: error: unexpected '64', expected the name of a constant
constexpr int SIZE = 128;
              ^~~~
<command line>:1:4: note: expanded from macro 'SIZE'
-D SIZE=64
   ^~~~
