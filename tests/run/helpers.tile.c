// Helpers that return early, from loops, and nothing.
// run: :k Out=new:i32[6] n=10 --grid 1 --out Out=out.npy
static int sign(int x)
{
    if (x > 0)
        return 1;
    else if (x < 0)
        return -1;
    return 0;
}
static int halvings(int x)
{
    int k = 0;
    while (true) {
        if (x <= 1)
            return k;
        x /= 2;
        k++;
    }
}
static int first_multiple(int from, int of)
{
    for (int i = from; i < from + of; i++) {
        if (i % of == 0)
            return i;
    }
    return -1;
}
static void put(int *p, int x) { store(p, x); }
kernel void k(int *Out, int n)
{
    put(Out, sign(n));
    put(Out + 1, sign(-n));
    put(Out + 2, sign(0));
    put(Out + 3, halvings(n));
    put(Out + 4, first_multiple(n, 7));
    put(Out + 5, first_multiple(n, 0));
}
---
run 1
Out i32[6]
1 -1 0 3 14 -1
