// What shape operations do to elements.
// run: :k Out=new:i32[24] n=0 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    int x = expand_dims(arange(0, 2), 1) * 10 + expand_dims(arange(0, 3), 0);
    store(Out + arange(0, 3), sum(x, axis(0)));
    store(Out + 3 + arange(0, 2), max(x, axis(1)));
    store(Out + 5, argmax(x));
    store(Out + 6 + arange(0, 6), reshape(trans(reshape(arange(0, 6), 2, 3)), 6));
    int j = join(arange(0, 3), 9);
    store(Out + 12 + arange(0, 6), reshape(j, 6));
    store(Out + 18 + arange(0, 3), split(j, 0));
    store(Out + 21 + arange(0, 3), gather(arange(0, 3) * 5, 2 - arange(0, 3)));
}
---
run 1
Out i32[24]
10 12 14 2 12 5 0 3 1 4 2 5 0 9 1 9 2 9 0 1 2 10 5 0
