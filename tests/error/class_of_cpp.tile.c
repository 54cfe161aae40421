// C++'s class, not Python's, as no colon ends the line.
class point { // of two:
    int x, y;
};
kernel void k(float *Out)
{
    store(Out, 1.0f);
}
---
class_of_cpp.tile.c:2:1: error: 'class' is C++'s, and kernel files are C
class point { // of two:
^~~~~
hint: a parameter for each member: docs/c-subset.md, "Arrays of structs"
