// Steps of a for loop run in the order in which they are written: what stands behind the counter's
// finds it stepped.
// run: :k Out=zeros:i32[10] n=5 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    int behind = 0, before = 0;
    for (int i = 0; i < n; i++, behind += i)
        ;
    for (int i = 0; i < n; before += i, i++)
        ;
    store(Out, behind);
    store(Out + 1, before);
    int last = -1, i, total = 0;
    for (i = n; i > 0; i -= 2, last = i)
        total += last;
    store(Out + 2, last);
    store(Out + 3, total);
    store(Out + 4, i);
    for (int j = 0; j < n; j++, Out[5] = j)
        ;
    for (i = 0; i < n; i++, last += i) {
        if (i == 2)
            continue;
        if (last > 4)
            break;
    }
    store(Out + 6, i);
    store(Out + 7, last);
    int two = 0;
    for (int a = 0, b = 0; a < n; b = a, a++, two += 10 * a + b)
        ;
    store(Out + 8, two);
    int beside = 0;
    for (int j = 0; j < n; j++, beside += 3)
        ;
    store(Out + 9, beside);
}
---
run 1
Out i32[10]
15 10 -1 3 -1 5 3 5 160 15
