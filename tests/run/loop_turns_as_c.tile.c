// Turns that constants seem to decide: not where the body changes what the condition or the steps
// read, in a kernel or in helpers that are computed at compile time.
// run: :k Out=zeros:i32[16] n=8 --grid 1 --out Out=out.npy
static int bound_changes(int m)
{
    int turns = 0;
    for (int k = 1; k < m; k *= 2) {
        m = 4;
        turns++;
    }
    return turns;
}

static int local_bound_changes(int unused)
{
    int m = 8, turns = 0;
    for (int k = 1; k < m; k *= 2) {
        if (turns == 1)
            m = 100;
        turns++;
    }
    return turns;
}

static int step_changes(int factor)
{
    int turns = 0;
    for (int k = 1; k < 64; k *= factor) {
        factor = 4;
        turns++;
    }
    return turns;
}

static int other_step_changes(int unused)
{
    int turns = 0, d = 1;
    for (int k = 1, m = 1; k < 64; m += d, k *= 2 * m) {
        d = 0;
        turns++;
    }
    return turns;
}

static int nothing_changes(int m)
{
    int turns = 0;
    for (int k = 1; k < m; k *= 2)
        turns++;
    return turns;
}

kernel void k(int *Out, int n)
{
    int m = 8, factor = 2, a = 0, b = 0;
    for (int k = 1; k < m; k *= 2) {
        m = 4;
        a++;
    }
    for (int k = 1; k < 64; k *= factor) {
        factor = 4;
        b++;
    }
    store(Out, a);
    store(Out + 1, b);
    store(Out + 2, bound_changes(8));
    store(Out + 3, bound_changes(n));
    store(Out + 4, local_bound_changes(0));
    store(Out + 5, local_bound_changes(n));
    store(Out + 6, step_changes(2));
    store(Out + 7, step_changes(n));
    store(Out + 8, other_step_changes(0));
    store(Out + 9, nothing_changes(100));
    store(Out + 10, nothing_changes(n));
}
---
run 1
Out i32[16]
2 3 2 2 7 7 3 3 6 7 3 0 0 0 0 0
