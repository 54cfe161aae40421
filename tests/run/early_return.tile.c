// return from a kernel, also out of nested loops.
// run: :guard Out=new:i32[1] n=3 --grid 1 --out Out=out.npy
// run: :guard Out=new:i32[1] n=2 --grid 1 --out Out=out.npy
// run: :deep Out=new:i32[3] n=5 --grid 1 --out Out=out.npy
// run: :deep Out=new:i32[3] n=3 --grid 1 --out Out=out.npy
// run: :deep Out=new:i32[3] n=1 --grid 1 --out Out=out.npy
// run: :loops Out=new:i32[9] n=3 --grid 1 --out Out=out.npy
kernel void guard(int *Out, int n)
{
    store(Out, 0);
    if (n > 2)
        return;
    store(Out, 1);
}
kernel void deep(int *Out, int n)
{
    store(Out + arange(0, 3), 0);
    if (n > 2) {
        store(Out, 5);
        if (n > 4)
            return;
        store(Out + 1, 6);
    }
    store(Out + 2, 7);
}
kernel void loops(int *Out, int n)
{
    store(Out + arange(0, 9), 0);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (i + j == 3)
                return;
            store(Out + i * 3 + j, 1);
        }
    }
}
---
run 1
Out i32[1]
0
run 2
Out i32[1]
1
run 3
Out i32[3]
5 0 0
run 4
Out i32[3]
5 6 7
run 5
Out i32[3]
0 0 7
run 6
Out i32[9]
1 1 1 1 1 0 0 0 0
