// Float to integer saturates, NaN gives 0; half rounds to even.
// run: :k Out=new:i32[8] n=5 --grid 1 --out Out=out.npy
kernel void k(int *Out, int n)
{
    float x = n;
    store(Out, x * 0.5);
    store(Out + 1, cast(int8_t, x * 100));
    store(Out + 2, x * 1e9f);
    store(Out + 3, NAN * x);
    store(Out + 4, -x * INFINITY);
    half h = n + 2044;
    store(Out + 5, h);
    store(Out + 6, h * 0.5 + 1);
    store(Out + 7, cast(uint8_t, -x));
}
---
run 1
Out i32[8]
2 127 2147483647 0 -2147483648 2048 1025 0
