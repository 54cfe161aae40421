kernel void k(float *Out, int n)
{
    if (n > 3) {
        store(Out, 1);
    } elif (n > 2) {
        store(Out, 2);
    } else {
        store(Out, 3);
    }
}
---
python_elif.tile.c:5:7: error: 'elif' is Python's, and kernel files are C
    } elif (n > 2) {
      ^~~~
hint: write 'else if (condition)'
