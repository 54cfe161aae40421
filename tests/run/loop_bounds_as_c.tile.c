// A counter is cut to its type where it starts, and compared with an unsigned bound as C does.
// run: :k Out=zeros:i32[16] lo=-3 u=261 w=18446744073709551615 --grid 1 --out Out=out.npy
// run: :k Out=zeros:i32[16] lo=2 u=5 w=4294967299 --grid 1 --out Out=out.npy
kernel void k(int *Out, int lo, uint32_t u, uint64_t w)
{
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
    for (int i = lo; i < u; i++) {
        a++;
        if (a > 20)
            break;
    }
    for (int64_t i = 0; i < w; i++) {
        b++;
        if (b > 20)
            break;
    }
    for (int64_t i = lo; i < w; i++) {
        c++;
        if (c > 20)
            break;
    }
    for (int64_t i = lo; i < u; i++)
        d++;
    for (int i = w; i < 7; i++)
        e++;
    for (int8_t i = u; i < 7; i++)
        f++;
    for (int i = u; i > lo; i--)
        g++;
    int j;
    for (j = lo; j < 4u; j++)
        h++;
    store(Out, a);
    store(Out + 1, b);
    store(Out + 2, c);
    store(Out + 3, d);
    store(Out + 4, e);
    store(Out + 5, f);
    store(Out + 6, g);
    store(Out + 7, h);
    store(Out + 8, j);
}
---
run 1
loop_bounds_as_c.tile.c:7:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (int i = lo; i < u; i++) {
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:17:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (int64_t i = lo; i < w; i++) {
                 ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:31:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (j = lo; j < 4u; j++)
                 ^~~~~~
hint: counter, bound and step of type int or long are counted
Out i32[16]
0 21 2 264 8 2 264 0 -3 0 0 0 0 0 0 0
run 2
loop_bounds_as_c.tile.c:7:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (int i = lo; i < u; i++) {
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:17:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (int64_t i = lo; i < w; i++) {
                 ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:31:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its start may be below 0
    for (j = lo; j < 4u; j++)
                 ^~~~~~
hint: counter, bound and step of type int or long are counted
Out i32[16]
3 21 21 3 4 2 3 2 4 0 0 0 0 0 0 0
