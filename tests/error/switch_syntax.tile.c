// Cases in the wrong places, and cases that go on into others.
kernel void k(float *X, int n)
{
    case 1:
    X[0] = 1;
    switch (n) {
        X[0] = 1;
    case 1:
        X[1] = 1;
    }
    switch (n) {
    case 1:
        X[1] = 1;
    case 2:
        X[2] = 1;
        break;
    default:
        X[3] = 1;
    default:
        break;
    }
    switch (n) {
    case 1:
        if (n > 0) {
        case 2:
            X[2] = 1;
        }
        break;
    }
    switch (n) {
    case 1 ... 3:
        break;
    case:
        break;
    }
    switch (n)
        X[0] = 1;
    switch n {
    case 1:
        break;
    }
    default:
    X[0] = 1;
}
---
switch_syntax.tile.c:4:5: error: a case stands outside of a 'switch'
    case 1:
    ^~~~
hint: write 'switch (x) { case 1: ... break; default: ... }'
switch_syntax.tile.c:7:9: error: a statement in a 'switch' stands behind a 'case'
        X[0] = 1;
        ^
hint: write 'switch (x) { case 1: ... break; default: ... }'
switch_syntax.tile.c:14:5: error: the case above goes on into this one, which is not supported in kernels
    case 2:
    ^~~~
hint: end it with 'break;'
switch_syntax.tile.c:19:5: error: the case above goes on into this one, which is not supported in kernels
    default:
    ^~~~~~~
hint: end it with 'break;'
switch_syntax.tile.c:19:5: error: this 'switch' has two defaults
    default:
    ^~~~~~~
switch_syntax.tile.c:17:5: note: the first one is here
    default:
    ^~~~~~~
switch_syntax.tile.c:25:9: error: a case stands in no braces but its switch's
        case 2:
        ^~~~
hint: write 'switch (x) { case 1: ... break; default: ... }'
switch_syntax.tile.c:31:12: error: a range of cases is GNU's
    case 1 ... 3:
           ^~~
hint: name each value: 'case 1: case 2:'
switch_syntax.tile.c:36:15: error: expected '{' behind the value of the switch
    switch (n)
              ^
switch_syntax.tile.c:38:11: error: expected '(' behind 'switch'
    switch n {
          ^
switch_syntax.tile.c:42:5: error: a case stands outside of a 'switch'
    default:
    ^~~~~~~
hint: write 'switch (x) { case 1: ... break; default: ... }'
