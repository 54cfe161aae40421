// Python declares nothing: a name that is assigned may be new, or misspelt.
kernel void k(const float *X, float *Out, int n)
{
    float value = X[0];
    x = X[1];
    valeu = X[2];
    total = 3;
    store(Out, value + x + total);
}
---
undeclared_assigned.tile.c:5:5: error: unknown name 'x'
    x = X[1];
    ^
hint: did you mean 'X'? a new variable is declared: 'auto x = ...;'
undeclared_assigned.tile.c:6:5: error: unknown name 'valeu'
    valeu = X[2];
    ^~~~~
hint: did you mean 'value'? a new variable is declared: 'auto valeu = ...;'
undeclared_assigned.tile.c:7:5: error: unknown name 'total'
    total = 3;
    ^~~~~
hint: declare it with its first value: 'auto total = ...;'
