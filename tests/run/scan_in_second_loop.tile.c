// A tile that two loops share, wanted whole by a scan in the second one only.
// run: Out=new:i64[8] Sums=new:i64[3] n=1 --out Out=out.npy --out Sums=sums.npy
static int64_t greater(int64_t a, int64_t b)
{
    return maximum(a, b);
}

launch_grid(k, 1);

kernel void k(int64_t *restrict Out, int64_t *Sums, int n)
{
    int j = arange(0, 31);
    for (int i = 0; i < 3; i++)
        store(Out + j, j + i, j < n + 7 && j < 8);
    for (int i = 0; i < 3; i++)
        store(Sums + i, sum(scan(greater, cast(int64_t, j))) + i);
}
---
run 1
Out i64[8]
2 3 4 5 6 7 8 9
Sums i64[3]
465 466 467
