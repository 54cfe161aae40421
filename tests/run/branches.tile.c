// Branches unify shapes; the values of the branch that ran.
// run: :k Out=new:i32[4] n=0 --grid 1 --out Out=out.npy
// run: :k Out=new:i32[4] n=1 --grid 1 --out Out=out.npy
// run: :chain Out=new:i32[1] n=2 --grid 1 --out Out=out.npy
// run: :chain Out=new:i32[1] n=1 --grid 1 --out Out=out.npy
// run: :chain Out=new:i32[1] n=0 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    int x;
    if (n > 0)
        x = 4;
    else
        x = arange(0, 4) + 5;
    store(Out + arange(0, 4), x);
}
kernel void chain(int *Out, int n)
{
    int x = 1;
    if (n > 1)
        x = 2;
    else if (n > 0)
        x = 3;
    else {
        int x = 9;
        x++;
    }
    store(Out, x);
}
---
run 1
Out i32[4]
5 6 7 8
run 2
Out i32[4]
4 4 4 4
run 3
Out i32[1]
2
run 4
Out i32[1]
3
run 5
Out i32[1]
1
