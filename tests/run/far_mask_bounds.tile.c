// Bounds of masks near both ends of the 64-bit integers: what they are compared with lies far from
// them, and the distance does not fit.
// run: :k X=new:i32[40] Out=new:i32[5,16] n=-9223372036854775808 --grid 1 --out Out=out.npy
// run: :k X=new:i32[40] Out=new:i32[5,16] n=9223372036854775807 --grid 1 --out Out=out.npy
// run: :k X=new:i32[40] Out=new:i32[5,16] n=20 --grid 1 --out Out=out.npy
// run: :v X=new:i32[40] Out=new:i32[2,16] n=-9223372036854775808 --grid 1 --out Out=out.npy
// run: :v X=new:i32[40] Out=new:i32[2,16] n=9223372036854775807 --grid 1 --out Out=out.npy
kernel void k(int *X, int *Out, int64_t n)
{
    int i = arange(0, 16);
    store(Out + i, where(12 + i < n, 1, 0));
    store(Out + 16 + i, where(12 + i <= n, 1, 0));
    store(Out + 32 + i, where(-12 - i > n, 1, 0));
    store(Out + 48 + i, where(12 + i >= n, 1, 0));
    store(X + 12 + i, i, 12 + i < 40);
    store(Out + 64 + i, load(X + 12 + i, 12 + i < n, -1));
}
kernel void v(int *X, int *Out, int64_t n)
{
    int i = arange(0, 16);
    store(X + i, i);
    tile_store(view(Out, 16), 0, tile_load_or(-1, view(X, 16), n, 16));
    tile_store(view(Out + 16, 16), 0, tile_load_or(-1, view(X, 16), 4, 16));
}
---
run 1
Out i32[5,16]
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
run 2
Out i32[5,16]
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
run 3
Out i32[5,16]
1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 0
1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1
0 1 2 3 4 5 6 7 -1 -1 -1 -1 -1 -1 -1 -1
run 4
Out i32[2,16]
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
4 5 6 7 8 9 10 11 12 13 14 15 -1 -1 -1 -1
run 5
Out i32[2,16]
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
4 5 6 7 8 9 10 11 12 13 14 15 -1 -1 -1 -1
