// How others turn a sort round and name its axis.
kernel void k(float *Out, const float *X)
{
    int i = arange(0, 16);
    store(Out + i, sort(load(X + i), descending));
    store(Out + i, sort(load(X + i), axis(0), descending));
}
---
sort_of_others.tile.c:5:38: error: unknown name 'descending'
    store(Out + i, sort(load(X + i), descending));
                                     ^~~~~~~~~~
hint: sort(x, reverse) has the greatest first
