// What is elaborated once more, or only for its type, reports a missing value all the same.
static float weighed(int n, float w)
{
    float s = 0.0f;
    for (int i = 0; i < n; i++) {
        int a;
        s = s * w + a * 1.0f;
    }
    return s;
}

kernel void f(const float *X, float *Out, int n, int m)
{
    int b, c, d, e, g, h;
    float s = 0.0f, w;
    for (int k = 1; k < b; k *= 2)
        s += 1.0f;
    for (unsigned k = 0; k < c; k++)
        s += 1.0f;
    for (int k = d; k < n; k += 2.0f)
        s += 1.0f;
    for (int k = 1; k < n; k *= 2, n -= e)
        s += 1.0f;
    for (int k = 0; k < n; k++)
        s += w * load(X + arange(0, 4));
    int unread = 1 ? n : g;
    store(Out + arange(0, 4), s + g);
    do
        s = s + load(X + arange(0, 4)) * h;
    while (n > 0);
    store(Out + arange(0, 4), s + weighed(m, 0.5f));
}
---
no_value_in_attempts.tile.c:16:25: error: 'b' is used where it may have no value yet
    for (int k = 1; k < b; k *= 2)
                        ^
hint: give 'b' a value where it is declared
no_value_in_attempts.tile.c:18:19: perf: this loop is not counted, but tests its condition in each turn: 'k' is unsigned
    for (unsigned k = 0; k < c; k++)
                  ^
hint: counter, bound and step of type int or long are counted
no_value_in_attempts.tile.c:18:30: error: 'c' is used where it may have no value yet
    for (unsigned k = 0; k < c; k++)
                             ^
hint: give 'c' a value where it is declared
no_value_in_attempts.tile.c:20:18: error: 'd' is used where it may have no value yet
    for (int k = d; k < n; k += 2.0f)
                 ^
hint: give 'd' a value where it is declared
no_value_in_attempts.tile.c:20:14: perf: this loop is not counted, but tests its condition in each turn: what it counts with is floating
    for (int k = d; k < n; k += 2.0f)
             ^
hint: counter, bound and step of type int or long are counted
no_value_in_attempts.tile.c:22:41: error: 'e' is used where it may have no value yet
    for (int k = 1; k < n; k *= 2, n -= e)
                                        ^
hint: give 'e' a value where it is declared
no_value_in_attempts.tile.c:25:14: error: 'w' is used where it may have no value yet
        s += w * load(X + arange(0, 4));
             ^
hint: give 'w' a value where it is declared
no_value_in_attempts.tile.c:27:35: error: 'g' is used where it may have no value yet
    store(Out + arange(0, 4), s + g);
                                  ^
hint: give 'g' a value where it is declared
no_value_in_attempts.tile.c:29:42: error: 'h' is used where it may have no value yet
        s = s + load(X + arange(0, 4)) * h;
                                         ^
hint: give 'h' a value where it is declared
no_value_in_attempts.tile.c:7:21: error: 'a' is used where it may have no value yet
        s = s * w + a * 1.0f;
                    ^
hint: give 'a' a value where it is declared
no_value_in_attempts.tile.c:31:35: note: 'weighed' is called here
    store(Out + arange(0, 4), s + weighed(m, 0.5f));
                                  ^~~~~~~~~~~~~~~~
