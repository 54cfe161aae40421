// Python's None, where a value is needed and where a default would do.
kernel void k(float *Out, const float *X, int n)
{
    int i = arange(0, 16);
    store(Out + i, where(i < n, 1.0f, None));
}
---
none_chosen.tile.c:5:39: error: unknown name 'None'
    store(Out + i, where(i < n, 1.0f, None));
                                      ^~~~
hint: leave an argument with a default out; where(c, x, y) takes a value for both; a further axis of 1 is expand_dims(x, axis)
