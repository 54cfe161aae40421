// break and continue, also through nested loops.
// run: :breaks Out=new:i32[1] n=9 --grid 1 --out Out=out.npy
// run: :breaks Out=new:i32[1] n=2 --grid 1 --out Out=out.npy
// run: :both Out=new:i32[1] n=9 --grid 1 --out Out=out.npy
// run: :nested Out=new:i32[1] n=5 --grid 1 --out Out=out.npy
// run: :whiles Out=new:i32[6] n=9 --grid 1 --out Out=out.npy
kernel void breaks(int *Out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i == 3)
            break;
        s += 10;
    }
    store(Out, s);
}
kernel void both(int *Out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 2 == 0) {
            s += 100;
            continue;
        }
        if (i > 4) {
            s += 1000;
            break;
        }
        s += i;
    }
    store(Out, s);
}
kernel void nested(int *Out, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            if (j == i)
                break;
            s++;
        }
        if (s > 3)
            break;
    }
    store(Out, s);
}
kernel void whiles(int *Out, int n)
{
    int k = 0;
    while (k < n) {
        k++;
        if (k == 2)
            continue;
        if (k == 4)
            break;
        store(Out + k, k);
    }
    store(Out, 0);
    store(Out + 2, 0);
    store(Out + 4, 0);
    store(Out + 5, 0);
}
---
run 1
Out i32[1]
30
run 2
Out i32[1]
20
run 3
Out i32[1]
1304
run 4
Out i32[1]
6
run 5
Out i32[6]
0 1 0 3 0 0
