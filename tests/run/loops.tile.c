// Counted loops and what they carry.
// run: :up Out=new:i32[2] n=5 --grid 1 --out Out=out.npy
// run: :up Out=new:i32[2] n=0 --grid 1 --out Out=out.npy
// run: :down Out=new:i32[3] n=7 --grid 1 --out Out=out.npy
// run: :shape Out=new:i32[4] n=2 --grid 1 --out Out=out.npy
// run: :shape Out=new:i32[4] n=0 --grid 1 --out Out=out.npy
// run: :shape Out=new:i32[4] n=-4 --grid 1 --out Out=out.npy
kernel void up(int *Out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += i;
    store(Out, s);
    int u = 0;
    for (int i = 1; i <= n; i += 2)
        u += i;
    store(Out + 1, u);
}
kernel void down(int *Out, int n)
{
    int s = 0;
    for (int i = n; i > 0; i--)
        s = s * 10 + i;
    store(Out, s);
    s = 0;
    for (int i = n; i >= 0; i -= 3)
        s = s * 10 + i;
    store(Out + 1, s);
    s = 0;
    for (int i = n; i > 0; i += -2)
        s = s * 10 + i;
    store(Out + 2, s);
}
kernel void shape(int *Out, int n)
{
    int t = 3;
    for (int i = 0; i < n; i++)
        t = t + arange(0, 4);
    store(Out + arange(0, 4), t);
}
---
run 1
Out i32[2]
10 9
run 2
Out i32[2]
0 0
run 3
Out i32[3]
7654321 741 7531
run 4
Out i32[4]
3 5 7 9
run 5
Out i32[4]
3 3 3 3
run 6
Out i32[4]
3 3 3 3
