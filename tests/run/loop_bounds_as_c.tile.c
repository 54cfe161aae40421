// A counter is cut to its type where it starts, and compared with an unsigned bound as C does; a
// bound that every number keeps ends no loop.
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
    int m = 0, o = 0, p = 0, q = 0, r = 0, t = 0;
    for (int i = 9; i >= 0u; i--) { /* never ends by its condition */
        m++;
        if (i == -2)
            break;
    }
    for (int i = 9; i > 0u; i -= 4) { /* 9, 5, 1, -3, ... */
        o++;
        if (o > 20)
            break;
    }
    for (int i = 9; i >= u; i--) {
        p++;
        if (i == -2)
            break;
    }
    for (int i = 9; i > 3u; i -= 4) /* 9, 5 */
        q++;
    for (int64_t i = 0; i <= UINT64_MAX; i++) {
        r++;
        if (i == 5)
            break;
    }
    for (int64_t i = INT64_MAX - 9; i <= INT64_MAX; i++) {
        t++;
        if (i == INT64_MAX)
            break;
    }
    store(Out, a);
    store(Out + 1, b);
    store(Out + 2, c);
    store(Out + 3, d);
    store(Out + 4, e);
    store(Out + 5, f);
    store(Out + 6, g);
    store(Out + 7, h);
    store(Out + 8, j);
    store(Out + 9, m);
    store(Out + 10, o);
    store(Out + 11, p);
    store(Out + 12, q);
    store(Out + 13, r);
    store(Out + 14, t);
}
---
run 1
loop_bounds_as_c.tile.c:8:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = lo; i < u; i++) {
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:18:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int64_t i = lo; i < w; i++) {
                 ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:32:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (j = lo; j < 4u; j++)
                 ^~~~~~
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:35:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i >= 0u; i--) { /* never ends by its condition */
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:40:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i > 0u; i -= 4) { /* 9, 5, 1, -3, ... */
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:45:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i >= u; i--) {
             ^
hint: counter, bound and step of type int or long are counted
Out i32[16]
0 21 2 264 8 2 264 0 -3 12 21 0 2 6 10 0
run 2
loop_bounds_as_c.tile.c:8:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = lo; i < u; i++) {
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:18:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int64_t i = lo; i < w; i++) {
                 ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:32:18: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (j = lo; j < 4u; j++)
                 ^~~~~~
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:35:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i >= 0u; i--) { /* never ends by its condition */
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:40:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i > 0u; i -= 4) { /* 9, 5, 1, -3, ... */
             ^
hint: counter, bound and step of type int or long are counted
loop_bounds_as_c.tile.c:45:14: perf: this loop is not counted, but tests its condition in each turn: its bound is unsigned, and its counter may be below 0
    for (int i = 9; i >= u; i--) {
             ^
hint: counter, bound and step of type int or long are counted
Out i32[16]
3 21 21 3 4 2 3 2 4 12 21 5 2 6 10 0
