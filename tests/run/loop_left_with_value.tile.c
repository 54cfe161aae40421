// What a turn has set when it is left holds behind the loop, and what a helper returns, whatever
// other turns leave.
// run: :k Out=zeros:i32[8] n=3 --grid 1 --out Out=out.npy
// run: :k Out=zeros:i32[8] n=6 --grid 1 --out Out=out.npy
static int first_above(int n, int limit)
{
    int found, i = 0;
    do {
        i++;
        found = i * i;
        if (found > limit)
            break;
        if (i == 2)
            continue;
        if (found == 16)
            return -1;
    } while (i < n);
    return found;
}

static int returned(int n)
{
    for (int i = 0; i < n; i++) {
        if (i < 2)
            continue;
        if (i == 4)
            return 40;
    }
    return 7;
}

kernel void k(int *Out, int n)
{
    int last;
    do {
        last = n;
        n++;
        if (n == 5)
            continue;
        if (n > 6)
            break;
    } while (n < 6);
    store(Out, last);
    store(Out + 1, n);
    store(Out + 2, first_above(n, 3));
    store(Out + 3, first_above(n, 100));
    store(Out + 4, first_above(3, 100));
    store(Out + 5, returned(n - 2));
    store(Out + 6, returned(2));
}
---
run 1
Out i32[8]
5 6 4 -1 9 7 7 0
run 2
Out i32[8]
6 7 4 -1 9 40 7 0
