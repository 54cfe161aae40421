constexpr int N = 4;

static int helper(int a)
{
    if (a > 3) {
        int a = a * 2;
        return a;
    }
    return a;
}

kernel void k(const float *X, float *Out, int n)
{
    int i = program_id(0);
    for (int n = n - 1; n > 0; n--) {
        float i = X[i];
        Out[n] = i;
    }
    for (int j = 0, i = i + j; j < n; j++)
        Out[j] = N;
    {
        const int N = N + 1, m = N;
        Out[m] = helper(i);
    }
    {
        int m = i, i = m; /* fine */
        Out[m] = i;
    }
}
---
own_initial_value.tile.c:15:14: error: 'n' is used in its own initial value, where it has none yet
    for (int n = n - 1; n > 0; n--) {
             ^
hint: give it another name than what it hides
own_initial_value.tile.c:12:47: note: this 'n' is hidden
kernel void k(const float *X, float *Out, int n)
                                              ^
own_initial_value.tile.c:16:15: error: 'i' is used in its own initial value, where it has none yet
        float i = X[i];
              ^
hint: give it another name than what it hides
own_initial_value.tile.c:14:9: note: this 'i' is hidden
    int i = program_id(0);
        ^
own_initial_value.tile.c:19:21: error: 'i' is used in its own initial value, where it has none yet
    for (int j = 0, i = i + j; j < n; j++)
                    ^
hint: give it another name than what it hides
own_initial_value.tile.c:14:9: note: this 'i' is hidden
    int i = program_id(0);
        ^
own_initial_value.tile.c:22:19: error: 'N' is used in its own initial value, where it has none yet
        const int N = N + 1, m = N;
                  ^
hint: give it another name than what it hides
own_initial_value.tile.c:1:15: note: this 'N' is hidden
constexpr int N = 4;
              ^
own_initial_value.tile.c:6:13: error: 'a' is used in its own initial value, where it has none yet
        int a = a * 2;
            ^
hint: give it another name than what it hides
own_initial_value.tile.c:3:23: note: this 'a' is hidden
static int helper(int a)
                      ^
