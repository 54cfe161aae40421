// Each of 20 steps uses the one before twice, and the first one loads at a clamped place, which is tried in both
// ways: what was made before that stays known, or every step would be made again, the first a million times.
// run: X=@x.npy Out=new:f32[32] n=5 --grid 1 --out Out=out.npy
// array x.npy f32[512]: 1 2 3 4 5 6 7 8
kernel void k(const float *restrict X, float *restrict Out, int n)
{
    int i = n - 7 + arange(0, 32);
    float v = load(X + where(i < 0, 0, where(i >= 30, 29, i))), b = load(X + arange(0, 32));
    for (int k = 0; k < 20; k++) {
        float t = v * 0.5f + b;
        v = t - v;
    }
    store(Out + arange(0, 32), v);
}
---
run 1
Out f32[32]
0.666666985 1.33333302 1.99999905 2.66666603 3.33333302 4 4.66666698 5.33333397 0.666672707 1.33333969 1.99999905 2.66666603 3.33333302 4 4.66666698 5.33333397 0.666672707 1.33333969 1.99999905 2.66666603 3.33333302 4 4.66666698 5.33333397 0.666672707 1.33333969 1.99999905 2.66666603 3.33333302 4 4.66666698 5.33333397
