// A break that is not the end of a case, and one of a loop within it, which is fine.
kernel void k(float *X, int n)
{
    switch (n) {
    case 1:
        if (n > X[0])
            break;
        X[0] = 1;
        break;
    case 2:
        for (int i = 0; i < n; i++)
            if (X[i] > 0)
                break;
        break;
        X[1] = 2;
    case 3:
        break;
        break;
    default:
        continue;
    }
    break;
}
---
switch_breaks.tile.c:7:13: error: 'break' leaves a 'switch' at the end of a case only
            break;
            ^~~~~~
hint: put what follows under an 'else'
switch_breaks.tile.c:14:9: error: 'break' leaves a 'switch' at the end of a case only
        break;
        ^~~~~~
hint: put what follows under an 'else'
switch_breaks.tile.c:16:5: error: the case above goes on into this one, which is not supported in kernels
    case 3:
    ^~~~
hint: end it with 'break;'
switch_breaks.tile.c:17:9: error: 'break' leaves a 'switch' at the end of a case only
        break;
        ^~~~~~
hint: put what follows under an 'else'
switch_breaks.tile.c:20:9: error: 'continue' outside of a loop
        continue;
        ^~~~~~~~~
switch_breaks.tile.c:22:5: error: 'break' outside of a loop
    break;
    ^~~~~~
