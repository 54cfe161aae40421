// What cannot be sorted: a scalar, an axis that is not named or not there, more than has room.
kernel void k(const float *X, float *Out)
{
    int i = arange(0, 64), j = expand_dims(arange(0, 4) * 64, 1) + expand_dims(i, 0);
    float x = load(X + j), row = load(X + arange(0, 1025));
    store(Out, sort(X[0]));
    store(Out + j, sort(x));
    store(Out + j, argsort(x, axis(2)));
    store(Out + i, sort(load(X + i), axis));
    store(Out + i, flip(3.0f));
    float many = broadcast_to(expand_dims(row, 0), 1023, 1025);
    store(Out, sum(sort(many, axis(1))));
}
---
sort.tile.c:6:16: error: 'sort' takes a tile, not a scalar
    store(Out, sort(X[0]));
               ^~~~~~~~~~
sort.tile.c:7:20: error: 'sort' of [4, 64] needs an axis
    store(Out + j, sort(x));
                   ^~~~~~~
hint: name it: axis(1)
sort.tile.c:8:31: error: no axis 2: this is [4, 64]
    store(Out + j, argsort(x, axis(2)));
                              ^~~~~~~
sort.tile.c:9:38: error: 'axis' is no argument of 'sort'
    store(Out + i, sort(load(X + i), axis));
                                     ^~~~
hint: sort(number x, axis axis = the only one, word reverse = no)
sort.tile.c:10:20: error: 'flip' takes a tile, not a scalar
    store(Out + i, flip(3.0f));
                   ^~~~~~~~~~
sort.tile.c:12:20: error: 'sort' needs room for a power of two: [1023, 2048], and a tile has at most 1048576 elements
    store(Out, sum(sort(many, axis(1))));
                   ^~~~~~~~~~~~~~~~~~~
