// What a body sets has a value behind it, in the steps and in the condition of 'do', but not where
// the body can be left before that.
kernel void k(int *Out, int n)
{
    int a, b, c, d, e, f, g, h, i;
    do {
        a = n;
        if (n == 5)
            break;
        b = n;
    } while (n < 3);
    do {
        if (n == 4)
            continue;
        c = n;
    } while (n < 3);
    do {
        while (true)
            break;
        d = n;
    } while (n < 3);
    do {
        if (n == 5) {
            break;
        } else {
            e = n;
        }
    } while (n < 3);
    do {
        if (n == 5)
            continue;
        f = n;
    } while (f < 3);
    do {
        if (n == 5)
            break;
        g = n;
    } while (g < 3);
    for (int k = 0; k < n; k = k + h) {
        if (k == 5)
            continue;
        h = 3;
    }
    for (int k = 0; k < n; k = k + i) {
        if (k == 5)
            break;
        i = 3;
    }
    store(Out, a);
    store(Out + 1, b);
    store(Out + 2, c);
    store(Out + 3, d);
    store(Out + 4, e);
}
---
no_value_after_do.tile.c:33:14: error: 'f' is used where it may have no value yet
    } while (f < 3);
             ^
hint: give 'f' a value where it is declared
no_value_after_do.tile.c:39:36: error: 'h' is used where it may have no value yet
    for (int k = 0; k < n; k = k + h) {
                                   ^
hint: give 'h' a value where it is declared
no_value_after_do.tile.c:50:20: error: 'b' is used where it may have no value yet
    store(Out + 1, b);
                   ^
hint: give 'b' a value where it is declared
no_value_after_do.tile.c:51:20: error: 'c' is used where it may have no value yet
    store(Out + 2, c);
                   ^
hint: give 'c' a value where it is declared
no_value_after_do.tile.c:53:20: error: 'e' is used where it may have no value yet
    store(Out + 4, e);
                   ^
hint: give 'e' a value where it is declared
