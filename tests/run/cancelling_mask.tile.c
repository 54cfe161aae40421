// A mask made of tiles whose differences cancel: it does not depend on the element.
// run: X=@x.npy Out=new:f32[20] n=20 shift=1 --out Out=out.npy
// run: X=@x.npy Out=new:f32[20] n=20 shift=0 --out Out=out.npy
// array x.npy f32[20]: 1 2 3 4 5
launch_grid(k, 1);

kernel void k(const float *restrict X, float *restrict Out, int n, int shift)
{
    for (int i = 0; i < n; i += 16) {
        int j = expand_dims(arange(0, 16), 0);
        float x = load(X + i + arange(0, 16), i + arange(0, 16) < n, 0);
        float y = where(reshape(cast(bool, shift + j - j), 16), x, -1);
        store(Out + i + arange(0, 16), y, i + arange(0, 16) < n);
    }
}
---
run 1
Out f32[20]
1 2 3 4 5 1 2 3 4 5 1 2 3 4 5 1 2 3 4 5
run 2
Out f32[20]
-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1
