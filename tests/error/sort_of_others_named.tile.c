// The same with Python's names for arguments.
kernel void k(float *Out, const float *X)
{
    int i = arange(0, 16);
    store(Out + i, sort(load(X + i), descending=True));
    store(Out + i, sort(load(X + i), axis=0));
    store(Out + i, argsort(load(X + i), dim=0));
}
---
sort_of_others_named.tile.c:5:38: error: arguments of functions have no names in C, only their order
    store(Out + i, sort(load(X + i), descending=True));
                                     ^~~~~~~~~~
hint: write reverse for the greatest first, nothing for the least
sort_of_others_named.tile.c:6:38: error: arguments of functions have no names in C, only their order
    store(Out + i, sort(load(X + i), axis=0));
                                     ^~~~
hint: leave 'axis =' out; an axis of a reduction, scan or sort is written axis(0)
sort_of_others_named.tile.c:7:41: error: arguments of functions have no names in C, only their order
    store(Out + i, argsort(load(X + i), dim=0));
                                        ^~~
hint: leave 'dim =' out; an axis of a reduction, scan or sort is written axis(0)
