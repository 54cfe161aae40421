// Tiles of several rows whose masks fail in rows as a whole, in single elements at the ends of rows, and in
// what lies behind: pictures smaller than a tile, of one row or column, and of more than one tile.
// run: :heat X=@x.npy Out=new:i32[3,9] height=3 width=9 --out Out=out.npy
// run: :heat X=@x.npy Out=new:i32[3,9] height=3 width=9 --out Out=out.npy --cpu x86-64-v3
// run: :heat X=@x.npy Out=new:i32[6,21] height=6 width=21 --out Out=out.npy
// run: :heat X=@x.npy Out=new:i32[1,1] height=1 width=1 --out Out=out.npy
// run: :heat X=@x.npy Out=new:i32[7,2] height=7 width=2 --out Out=out.npy
// run: :sums X=@f.npy Out=new:f32[5,19] height=5 width=19 --out Out=out.npy
// run: :sums X=@f.npy Out=new:f32[5,19] height=5 width=19 --out Out=out.npy --cpu x86-64-v3
// run: :sums X=@f.npy Out=new:f32[1,33] height=1 width=33 --out Out=out.npy
// run: :sums X=@f.npy Out=new:f32[9,1] height=9 width=1 --out Out=out.npy
// run: :nearest X=@f.npy Out=new:f32[5,19] height=5 width=19 --out Out=out.npy
// run: :nearest X=@f.npy Out=new:f32[2,2] height=2 width=2 --out Out=out.npy
// array x.npy i32[126]: 4 0 -8 12 3 100 7 -25 16 2 9
// array f.npy f32[96]: 1 0 2 4 0.5 -3 8 16 0.25 5 -6 7 64
#include <tilec/kernel.h>
launch_grid(heat, cdiv(width, 16), cdiv(height, 4));
kernel void heat(const int *restrict X, int *restrict Out, int height, int width)
{
    int y = program_id(1) * 4 + expand_dims(arange(0, 4), 1);
    int x = program_id(0) * 16 + expand_dims(arange(0, 16), 0);
    bool in = y < height && x < width;
    bool inner = y > 0 && y < height - 1 && x > 0 && x < width - 1;
    const int *at = X + y * width + x;
    int here = load(at, in);
    int around = load(at - 1, inner) + load(at + 1, inner) + load(at - width, inner) + load(at + width, inner);
    store(Out + y * width + x, where(inner, around - 4 * here, here), in);
}
launch_grid(sums, cdiv(width, 32), cdiv(height, 4));
kernel void sums(const float *restrict X, float *restrict Out, int height, int width)
{
    int y = program_id(1) * 4 + expand_dims(arange(0, 4), 1);
    int x = program_id(0) * 32 + expand_dims(arange(0, 32), 0);
    float total = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            bool ok = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
            total += load(X + (y + dy) * width + x + dx, ok, 1000);
        }
    }
    store(Out + y * width + x, total, y < height && x < width);
}
launch_grid(nearest, cdiv(width, 32), cdiv(height, 4));
kernel void nearest(const float *restrict X, float *restrict Out, int height, int width)
{
    int y = program_id(1) * 4 + expand_dims(arange(0, 4), 1);
    int x = program_id(0) * 32 + expand_dims(arange(0, 32), 0);
    bool ok = y < height && x < width;
    int above = maximum(y - 1, 0), right = minimum(x + 1, width - 1);
    float a = load(X + above * width + x, ok), b = load(X + y * width + right, ok);
    store(Out + y * width + x, a - b, ok);
}
---
run 1
Out i32[3,9]
4 0 -8 12 3 100 7 -25 16
2 -14 -13 17 51 47 99 -403 7
-25 16 2 9 4 0 -8 12 3
run 2
Out i32[3,9]
4 0 -8 12 3 100 7 -25 16
2 -14 -13 17 51 47 99 -403 7
-25 16 2 9 4 0 -8 12 3
run 3
Out i32[6,21]
4 0 -8 12 3 100 7 -25 16 2 9 4 0 -8 12 3 100 7 -25 16 2
9 2 -8 56 -58 212 -380 122 146 -110 42 -24 2 -8 56 -58 212 -380 122 146 16
2 -24 2 -8 56 -58 212 -380 122 146 -110 42 -24 2 -8 56 -58 212 -380 122 -25
16 42 -24 2 -8 56 -58 212 -380 122 146 -110 42 -24 2 -8 56 -58 212 -380 7
-25 -110 42 -24 2 -8 56 -58 212 -380 122 146 -110 42 -24 2 -8 56 -58 212 100
7 -25 16 2 9 4 0 -8 12 3 100 7 -25 16 2 9 4 0 -8 12 3
run 4
Out i32[1,1]
4
run 5
Out i32[7,2]
4 0
-8 12
3 100
7 -25
16 2
9 4
0 -8
run 6
Out f32[5,19]
5025 3027.25 3027.25 3005.75 3007.5 3070.5 3093 3089.25 3024.25 3005.25 3012.5 3066.5 3077.5 3086 3027.25 3027.25 3005.75 3007.5 4998.5
3090 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 14 3003
3094 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 3004.5
3141 158 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 3009.5
5076 3093 3089.25 3024.25 3005.25 3012.5 3066.5 3077.5 3086 3027.25 3027.25 3005.75 3007.5 3070.5 3093 3089.25 3024.25 3005.25 5005
run 7
Out f32[5,19]
5025 3027.25 3027.25 3005.75 3007.5 3070.5 3093 3089.25 3024.25 3005.25 3012.5 3066.5 3077.5 3086 3027.25 3027.25 3005.75 3007.5 4998.5
3090 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 14 3003
3094 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 3004.5
3141 158 92.25 30.25 11.75 14 72 98.5 110.25 48.5 26.5 11.75 72.5 142.5 158 92.25 30.25 11.75 3009.5
5076 3093 3089.25 3024.25 3005.25 3012.5 3066.5 3077.5 3086 3027.25 3027.25 3005.75 3007.5 3070.5 3093 3089.25 3024.25 3005.25 5005
run 8
Out f32[1,33]
7001 6003 6006 6006.5 6001.5 6005.5 6021 6024.25 6021.25 5999.25 6006 6065 6072 6065 6003 6006 6006.5 6001.5 6005.5 6021 6024.25 6021.25 5999.25 6006 6065 6072 6065 6003 6006 6006.5 6001.5 6005.5 7005
run 9
Out f32[9,1]
7001
6003
6006
6006.5
6001.5
6005.5
6021
6024.25
7016.25
run 10
Out f32[5,19]
1 -2 -2 3.5 3.5 -11 -8 15.75 -4.75 11 -13 -57 63 1 -2 -2 3.5 3.5 0
-15 -0.25 -3 10 -6.5 -67 7 16 -1.75 1 -6.5 10 56 -15 -0.25 -3 10 -6.5 -10
7 16 -1.75 1 -6.5 10 56 -15 -0.25 -3 10 -6.5 -67 7 16 -1.75 1 -6.5 6.5
56 -15 -0.25 -3 10 -6.5 -67 7 16 -1.75 1 -6.5 10 56 -15 -0.25 -3 10 6.5
-67 7 16 -1.75 1 -6.5 10 56 -15 -0.25 -3 10 -6.5 -67 7 16 -1.75 1 -10
run 11
Out f32[2,2]
1 0
-3 -4
