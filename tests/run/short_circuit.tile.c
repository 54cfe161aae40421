// The right side of && and || and the other side of ?: are not evaluated: they would fault.
// run: :k Out=new:i32[4] n=0 --grid 1 --out Out=out.npy
// run: :k Out=new:i32[4] n=100 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    store(Out, n != 0 && 12 / n > 2);
    store(Out + 1, n == 0 || 12 % n == 1);
    store(Out + 2, n < 4 && Out[n] == 0);
    store(Out + 3, n > 3 ? 5 : Out[n]);
}
---
run 1
Out i32[4]
0 1 1 0
run 2
Out i32[4]
0 0 0 5
