// A second kernel of one name, and a word too many in front of one.
kernel void main(float *Out)
{
    store(Out, 1.0f);
}
kernel void main(float *Out)
{
    store(Out, 2.0f);
}
kernel void kernel void other(float *Out)
{
    store(Out, 3.0f);
}
---
declared_again.tile.c:6:13: error: 'main' is declared twice
kernel void main(float *Out)
            ^~~~
declared_again.tile.c:2:13: note: the first declaration is here
kernel void main(float *Out)
            ^~~~
declared_again.tile.c:10:13: error: expected the name of a function, but 'kernel' is a word of the language
kernel void kernel void other(float *Out)
            ^~~~~~
