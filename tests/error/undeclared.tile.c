kernel void k(const float *X, float *Out)
{
    value = load(X);
    total += value;
    for (int i = 0; i < 3; i++)
        vaule = i;
    store(Out, value);
}
---
undeclared.tile.c:3:5: error: unknown name 'value'
    value = load(X);
    ^~~~~
hint: declare it with its first value: 'auto value = ...;'
undeclared.tile.c:4:5: error: unknown name 'total'
    total += value;
    ^~~~~
undeclared.tile.c:6:9: error: unknown name 'vaule'
        vaule = i;
        ^~~~~
hint: did you mean 'value'? a new variable is declared: 'auto vaule = ...;'
