kernel void a(const float *X, float *Out, int n)
{
    if (n > 0) {
        float s = X[0];
    } else {
        float s = 0;
    }
    store(Out, s);
    for (int k = 0; k < n; k++)
        store(Out + k, 1);
    store(Out + k, 2);
    t = 2;
}
---
ended_scope.tile.c:8:16: error: unknown name 's'
    store(Out, s);
               ^
hint: a variable ends with its block: declare it in front of that
ended_scope.tile.c:6:15: note: 's' is declared here
        float s = 0;
              ^
ended_scope.tile.c:11:17: error: unknown name 'k'
    store(Out + k, 2);
                ^
hint: a variable ends with its block: declare it in front of that
ended_scope.tile.c:9:14: note: 'k' is declared here
    for (int k = 0; k < n; k++)
             ^
ended_scope.tile.c:12:5: error: unknown name 't'
    t = 2;
    ^
hint: declare it with its first value: 'auto t = ...;'
