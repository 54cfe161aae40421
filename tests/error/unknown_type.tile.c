kernel void k(const float *X, float *Out)
{
    flaot x = load(X);
    unsinged n = 3;
    number y = 2;
    string z = 2;
    store(Out, x);
}
---
unknown_type.tile.c:3:5: error: unknown type 'flaot'
    flaot x = load(X);
    ^~~~~
hint: did you mean 'float'?
unknown_type.tile.c:4:5: error: unknown type 'unsinged'
    unsinged n = 3;
    ^~~~~~~~
hint: did you mean 'unsigned'?
unknown_type.tile.c:5:5: error: unknown type 'number'
    number y = 2;
    ^~~~~~
unknown_type.tile.c:6:5: error: unknown type 'string'
    string z = 2;
    ^~~~~~
