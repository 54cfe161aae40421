// Each index of a view is compared with its own extent: outside reads the fill and writes nothing.
// run: :reads X=@x.npy Out=new:f32[16] --grid 1 --out Out=out.npy
// run: :writes X=@x.npy Out=@z.npy --grid 1 --out Out=out.npy
// run: :strided X=@x.npy Out=new:f32[6] --grid 1 --out Out=out.npy
// array x.npy f32[6]: 1 2 3 4 5 6
// array z.npy f32[6]: 0
kernel void reads(const float *X, float *Out)
{
    auto v = view(X, 2, 3);
    int i = arange(0, 16);
    float a = tile_load_or(-1, v, -1, 0, 2, 4); /* row -1 is outside, column 3 too */
    float b = tile_load(v, 1, -1, 2, 4);
    store(Out + i, reshape(join(trans(a), trans(b)), 16));
}
kernel void writes(const float *X, float *Out)
{
    auto v = view(Out, 2, 3);
    tile_store(v, 1, 2, full(float, 7, 2, 2));
    tile_store(v, 0, -1, full(float, 8, 2));
    tile_store(v, 2, 0, full(float, 9, 3));
}
kernel void strided(const float *X, float *Out)
{
    auto t = view_strided(X, 3, 2, 1, 3); /* the transpose */
    tile_store(view(Out, 3, 2), 0, 0, tile_load(t, 0, 0, 3, 2));
}
---
run 1
Out f32[16]
-1 0 1 0 -1 4 2 0 -1 5 3 0 -1 6 -1 0
run 2
Out f32[6]
8 0 0 0 0 7
run 3
Out f32[6]
1 4 2 5 3 6
