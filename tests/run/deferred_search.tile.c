// Places of maxima and minima that one side of a selection takes, and that are searched only there:
// ties, NaN, what is made of them, what is written in between, and what else uses them.
// array x.npy f32[512]: 1 5 2 5 -3 0 -0 4.5 1 2 3
// array y.npy f32[512]: 3 -7 nan 2 inf -inf
// array z.npy f32[512]: -inf
// run: X=@x.npy Y=zeros:f32[512] Out=new:i32[12] n=512 --out Out=out.npy
// run: X=@y.npy Y=zeros:f32[512] Out=new:i32[12] n=500 --out Out=out.npy
// run: X=@z.npy Y=zeros:f32[512] Out=new:i32[12] n=300 --out Out=out.npy
launch_grid(k, 1);
kernel void k(const float *restrict X, float *Y, int *restrict Out, int n)
{
    float best = -INFINITY, least = INFINITY;
    int at = 0, low = -1, last = -1, steps = 0;
    for (int c = 0; c < n; c += 128) {
        int i = c + arange(0, 128);
        float x = load(X + i, i < n, -INFINITY);
        float m = max(x);
        int a = argmax(x);
        if (m > best) {
            best = m;
            at = c + a;
        }
        float y = load(X + i, i < n, INFINITY) * 2;
        float l = min(y);
        int b = argmin(y);
        low = l >= least ? low : 2 * (c + b) + 1;
        least = minimum(l, least);
        last = m < 0 ? last : argmax(x) + c;
        float v = load(Y + arange(0, 128)) + x;
        int w = argmax(v);
        store(Y + arange(0, 128), v);
        steps = m > 2 ? w : steps;
    }
    store(Out, at);
    store(Out + 1, low);
    store(Out + 2, last);
    store(Out + 3, steps);
    int i = arange(0, 512);
    float x = load(X + i, i < n, -INFINITY);
    int a = argmax(x), b = argmin(x);
    store(Out + 4, n > 400 ? a : b);
    store(Out + 5, n > 400 ? b : a + b);
    int d = argmax(x + 1);
    store(Out + 6, d < 3 ? d : 7);
    int f = argmin(0 - x);
    store(Out + 7, n > 400 ? f : 7);
    store(Out + 8, f);
    int g = argmax(where(i < n, exp(x), 0));
    store(Out + 9, n < 400 ? g : 9);
    int h = argmax(load(Y + i));
    store(Y + i, 0 - load(Y + i));
    store(Out + 10, n > 400 ? h : 9);
    store(Out + 11, argmax(load(Y + i)));
}
---
run 1
Out i32[12]
1 9 386 0 1 4 1 1 1 9 0 128
run 2
Out i32[12]
0 773 386 0 2 2 2 2 2 9 0 0
run 3
Out i32[12]
0 1 -1 0 0 0 0 7 0 0 9 0
