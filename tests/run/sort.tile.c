// sort, argsort and flip: special values, both orders, equal elements, an axis of a tile, lengths that are no
// power of two, every size of integer.
// run: :floats X=@x.npy Out=new:f32[3,11] At=new:i32[2,11] --target interp --out Out=out.npy --out At=at.npy
// run: :floats X=@x.npy Out=new:f32[3,11] At=new:i32[2,11] --out Out=out.npy --out At=at.npy
// run: :floats X=@x.npy Out=new:f32[3,11] At=new:i32[2,11] --cpu x86-64-v3 --out Out=out.npy --out At=at.npy
// run: :floats X=@x.npy Out=new:f32[3,11] At=new:i32[2,11] --cpu generic --out Out=out.npy --out At=at.npy
// run: :axes X=@m.npy Out=new:i32[3,3,4] --target interp --out Out=out.npy
// run: :axes X=@m.npy Out=new:i32[3,3,4] --out Out=out.npy
// run: :axes X=@m.npy Out=new:i32[3,3,4] --cpu generic --out Out=out.npy
// run: :sizes Out=new:i32[6] --target interp --out Out=out.npy
// run: :sizes Out=new:i32[6] --out Out=out.npy
// array x.npy f32[11]: 3 nan -0 inf 0 -1 3 -inf 2.5 nan -1
// array m.npy i32[3,4]: 9 2 7 4 1 8 -3 4 5 5 0 -6
#include <tilec/kernel.h>
launch_grid(floats, 1);
kernel void floats(const float *X, float *Out, int *At)
{
    int i = arange(0, 11);
    float x = load(X + i);
    store(Out + i, sort(x));
    store(Out + 11 + i, sort(x, reverse));
    store(Out + 22 + i, flip(x));
    store(At + i, argsort(x));
    store(At + 11 + i, argsort(x, reverse));
}
launch_grid(axes, 1);
kernel void axes(const int *X, int *Out)
{
    int i = expand_dims(arange(0, 3) * 4, 1) + expand_dims(arange(0, 4), 0);
    int x = load(X + i);
    store(Out + i, sort(x, axis(1)));
    store(Out + 12 + i, sort(x, axis(0), reverse));
    store(Out + 24 + i, argsort(x, axis(0)));
}
static int place(auto x) // of the greatest, and how many lie below it in the order
{
    auto s = sort(x);
    return sum(where(arange(0, 8) == 7, cast(int, s == max(x)), 0)) + 2 * all(s == flip(sort(x, reverse)));
}
launch_grid(sizes, 1);
kernel void sizes(int *Out)
{
    int i = arange(0, 8), x = (i * 37 + 11) * 0x01234567;
    store(Out, place(cast(int8_t, x)));
    store(Out + 1, place(cast(uint8_t, x)));
    store(Out + 2, place(cast(uint16_t, x)));
    store(Out + 3, place(cast(uint32_t, x)));
    store(Out + 4, place(cast(uint64_t, x) << 32));
    store(Out + 5, place(i % 3 == 0));
}
---
run 1
Out f32[3,11]
-inf -1 -1 -0 0 2.5 3 3 inf nan nan
nan nan inf 3 3 2.5 0 -0 -1 -1 -inf
-1 nan 2.5 -inf 3 -1 0 inf -0 nan 3
At i32[2,11]
7 5 10 2 4 8 0 6 3 1 9
1 9 3 0 6 8 4 2 5 10 7
run 2
Out f32[3,11]
-inf -1 -1 -0 0 2.5 3 3 inf nan nan
nan nan inf 3 3 2.5 0 -0 -1 -1 -inf
-1 nan 2.5 -inf 3 -1 0 inf -0 nan 3
At i32[2,11]
7 5 10 2 4 8 0 6 3 1 9
1 9 3 0 6 8 4 2 5 10 7
run 3
Out f32[3,11]
-inf -1 -1 -0 0 2.5 3 3 inf nan nan
nan nan inf 3 3 2.5 0 -0 -1 -1 -inf
-1 nan 2.5 -inf 3 -1 0 inf -0 nan 3
At i32[2,11]
7 5 10 2 4 8 0 6 3 1 9
1 9 3 0 6 8 4 2 5 10 7
run 4
Out f32[3,11]
-inf -1 -1 -0 0 2.5 3 3 inf nan nan
nan nan inf 3 3 2.5 0 -0 -1 -1 -inf
-1 nan 2.5 -inf 3 -1 0 inf -0 nan 3
At i32[2,11]
7 5 10 2 4 8 0 6 3 1 9
1 9 3 0 6 8 4 2 5 10 7
run 5
Out i32[3,3,4]
2 4 7 9
-3 1 4 8
-6 0 5 5
9 8 7 4
5 5 0 4
1 2 -3 -6
1 0 1 2
2 2 2 0
0 1 0 1
run 6
Out i32[3,3,4]
2 4 7 9
-3 1 4 8
-6 0 5 5
9 8 7 4
5 5 0 4
1 2 -3 -6
1 0 1 2
2 2 2 0
0 1 0 1
run 7
Out i32[3,3,4]
2 4 7 9
-3 1 4 8
-6 0 5 5
9 8 7 4
5 5 0 4
1 2 -3 -6
1 0 1 2
2 2 2 0
0 1 0 1
run 8
Out i32[6]
3 3 3 3 3 3
run 9
Out i32[6]
3 3 3 3 3 3
