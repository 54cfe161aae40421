// Names that are unknown themselves are not what was meant.
kernel void k(int *Out, int n, int count)
{
    int a = total1 + total2;
    int b = total3 + conut + total1;
    store(Out, a + b);
}
---
unknown_names.tile.c:4:13: error: unknown name 'total1'
    int a = total1 + total2;
            ^~~~~~
unknown_names.tile.c:4:22: error: unknown name 'total2'
    int a = total1 + total2;
                     ^~~~~~
unknown_names.tile.c:5:13: error: unknown name 'total3'
    int b = total3 + conut + total1;
            ^~~~~~
unknown_names.tile.c:5:22: error: unknown name 'conut'
    int b = total3 + conut + total1;
                     ^~~~~
hint: did you mean 'count'?
