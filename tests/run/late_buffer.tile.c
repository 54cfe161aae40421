// A tile that is spread out before a loop: after the loop it is wanted again, and whole.
// run: Out=new:f32[8] Again=new:i32[8] n=5 --out Out=out.npy --out Again=again.npy
launch_grid(k, 1);

kernel void k(float *restrict Out, int *restrict Again, int n)
{
    int row = cast(int, expand_dims(arange(1, 5), 0));
    int v = reshape(broadcast_to(row, 2, 4), 8);
    for (int i = 0; i < n; i += 8)
        store(Out + i + arange(0, 8), cast(float, v), i + arange(0, 8) < n);
    store(Again + arange(0, 8), v);
}
---
run 1
Out f32[8]
1 2 3 4 1 nan nan nan
Again i32[8]
1 2 3 4 1 2 3 4
