// A name in its own initial value that hides nothing: one error, not an unknown name that is
// declared twice. A name that is declared behind its use is unknown once.
static float squared(float x)
{
    float result = result * x;
    return result;
}

kernel void k(const float *X, float *Out, int n)
{
    for (int i = 0; i < n; i++) {
        float sum_of_all = sum_of_all + X[i];
        Out[i] = sum_of_all;
    }
    float *p = p + 1;
    const float t[2] = {t[0], 1};
    auto z = squared(z) + t[1];
    int a = later + 1, later = a + later;
    set = 1;
    float set = 2;
    Out[a] = z + set + sum_of_all;
}
---
own_initial_value_alone.tile.c:12:15: error: 'sum_of_all' is used in its own initial value, where it has none yet
        float sum_of_all = sum_of_all + X[i];
              ^~~~~~~~~~
hint: what a loop carries is declared in front of it, with its first value
own_initial_value_alone.tile.c:15:12: error: 'p' is used in its own initial value, where it has none yet
    float *p = p + 1;
           ^
hint: give it a first value that is made of others
own_initial_value_alone.tile.c:16:17: error: 't' is used in its own initial value, where it has none yet
    const float t[2] = {t[0], 1};
                ^
hint: give it a first value that is made of others
own_initial_value_alone.tile.c:17:10: error: 'z' is used in its own initial value, where it has none yet
    auto z = squared(z) + t[1];
         ^
hint: give it a first value that is made of others
own_initial_value_alone.tile.c:5:11: error: 'result' is used in its own initial value, where it has none yet
    float result = result * x;
          ^~~~~~
hint: give it a first value that is made of others
own_initial_value_alone.tile.c:18:13: error: unknown name 'later'
    int a = later + 1, later = a + later;
            ^~~~~
own_initial_value_alone.tile.c:19:5: error: unknown name 'set'
    set = 1;
    ^~~
hint: declare it with its first value: 'auto set = ...;'
own_initial_value_alone.tile.c:21:24: error: unknown name 'sum_of_all'
    Out[a] = z + set + sum_of_all;
                       ^~~~~~~~~~
hint: a variable ends with its block: declare it in front of that
own_initial_value_alone.tile.c:12:15: note: 'sum_of_all' is declared here
        float sum_of_all = sum_of_all + X[i];
              ^~~~~~~~~~
