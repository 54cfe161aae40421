// Functions and words of Python's that look like names.
kernel void k(const float *X, float *Out, int n)
{
    int l = len(X) + range(0, n);
    print("x", l);
    if (n > 3)
        pass;
    store(Out, l, None);
}
---
python_calls.tile.c:4:13: error: unknown function 'len'
    int l = len(X) + range(0, n);
            ^~~
hint: the sizes of a tile are constants: give them names with constexpr
python_calls.tile.c:4:22: error: unknown function 'range'
    int l = len(X) + range(0, n);
                     ^~~~~
hint: for (int i = first; i < last; i += step)
python_calls.tile.c:5:5: error: unknown function 'print'
    print("x", l);
    ^~~~~
hint: tile_print("text", value) prints
python_calls.tile.c:7:9: error: unknown name 'pass'
        pass;
        ^~~~
hint: an empty block is '{}'
python_calls.tile.c:8:19: error: unknown name 'None'
    store(Out, l, None);
                  ^~~~
hint: leave an argument with a default out; where(c, x, y) takes a value for both; a further axis of 1 is expand_dims(x, axis)
