// args: -D B=4
kernel void k(const float *X, float *Out, int n, constexpr int B)
{
    auto s = 0;
    bool seen = false;
    auto any_seen = seen;
    for (int i = 0; i < n; i++) {
        s = s + 0.5f;
        any_seen = X[i];
    }
    store(Out, s + any_seen);
}
---
carried_type.tile.c:8:9: error: 's' starts as 'int' and becomes 'float' in a loop
        s = s + 0.5f;
        ^~~~~~~~~~~~
hint: declare 's' with the type that it should have
carried_type.tile.c:4:10: note: 's' starts as 'int' here
    auto s = 0;
         ^
carried_type.tile.c:9:9: error: 'any_seen' starts as 'bool' and becomes 'float' in a loop
        any_seen = X[i];
        ^~~~~~~~~~~~~~~
hint: declare 'any_seen' with the type that it should have
carried_type.tile.c:6:10: note: 'any_seen' starts as 'bool' here
    auto any_seen = seen;
         ^~~~~~~~
