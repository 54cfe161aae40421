// C reads a bound and a step anew in each turn. Where the loop writes the memory that they are read
// from, or they write themselves, so do these loops; else they are read once, and the loop counts.
// run: :k Y=@y.npy X=@x.npy --grid 1 --out Y=out.npy
// array y.npy i32[24]: 9 4 0 1 6
// array x.npy i32[4]: 3 1 4 1
static int next(int *p)
{
    p[2]++;
    return p[1];
}

static int turns_of(int *p)
{
    int turns = 0;
    for (int i = 0; i < p[4]; i++) {
        if (i == 1)
            p[4] = 3;
        turns++;
    }
    return turns;
}

kernel void k(int *Y, const int *X)
{
    int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
    for (int i = 0; i < Y[0]; i++) {
        Y[0] = 2;
        a++;
    }
    for (int i = 0; i < next(Y); i++)
        b++;
    for (int i = 9; i > 0; i -= Y[3]) {
        Y[3]++;
        c++;
    }
    int last;
    for (last = 0; last <= Y[5] && Y[4] > 5; last++) /* does not count in any case */
        Y[5] = 1;
    for (last = 0; last < Y[6]; last += 2) {
        atomic_add(Y + 6, last < 4 ? 2 : -1);
        d++;
    }
    int *p = Y + 8;
    for (int i = 0; i < 3; i++)
        p++;
    p[0] = 5; /* Y[11]; where p points is not known at compile time */
    for (int i = 0; i < Y[11]; i++) {
        *p = 3;
        e++;
    }
    for (int i = 0; i < X[2]; i += X[1]) { /* counts: X is another array */
        Y[12] += i;
        f++;
    }
    Y[13] = a;
    Y[14] = b;
    Y[15] = c;
    Y[16] = d;
    Y[17] = e;
    Y[18] = f;
    Y[19] = last;
    Y[20] = turns_of(Y);
}
---
run 1
loop_bounds_in_memory.tile.c:26:14: perf: this loop is not counted, but tests its condition in each turn: its bound or step is read from memory that the loop may write
    for (int i = 0; i < Y[0]; i++) {
             ^
hint: where it stays the same, read it into a variable in front of the loop
loop_bounds_in_memory.tile.c:32:14: perf: this loop is not counted, but tests its condition in each turn: its bound or step is read from memory that the loop may write
    for (int i = 9; i > 0; i -= Y[3]) {
             ^
hint: where it stays the same, read it into a variable in front of the loop
loop_bounds_in_memory.tile.c:39:20: perf: this loop is not counted, but tests its condition in each turn: its bound or step is read from memory that the loop may write
    for (last = 0; last < Y[6]; last += 2) {
                   ^~~~~~~~~~~
hint: where it stays the same, read it into a variable in front of the loop
loop_bounds_in_memory.tile.c:47:14: perf: this loop is not counted, but tests its condition in each turn: its bound or step is read from memory that the loop may write
    for (int i = 0; i < Y[11]; i++) {
             ^
hint: where it stays the same, read it into a variable in front of the loop
loop_bounds_in_memory.tile.c:15:14: perf: this loop is not counted, but tests its condition in each turn: its bound or step is read from memory that the loop may write
    for (int i = 0; i < p[4]; i++) {
             ^
hint: where it stays the same, read it into a variable in front of the loop
Y i32[24]
2 4 5 4 3 1 6 0 1 6 9 3 6 2 4 3 4 3 4 8 3 4 0 1
