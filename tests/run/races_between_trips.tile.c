// A loop stores what its next trip loads in other threads, at places of which the counter is only one part: on
// GPUs the threads meet in every trip. That of `loaded` is moved back by what it loads, times a constant; `slow`
// goes on by one element, as 3 i - (i + i), and `quotient` by 3 in every other trip.
// run: :loaded X=@x.npy P=@p.npy n=4 --grid 1 --out X=out.npy
// run: :slow X=@x.npy n=4 --grid 1 --out X=out.npy
// run: :quotient X=@x.npy n=4 --grid 1 --out X=out.npy
// devices: interp cpu msl-host
// array x.npy i32[256]: 1 2 3 4 5 6 7
// array p.npy i64[4]: 0 15 30 45
kernel void loaded(int *restrict X, const int64_t *restrict P, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i * 64 - load(P + i) * 4 + arange(0, 64);
        store(X + at, gather(load(X + at), 63 - arange(0, 64)) + i);
    }
}
kernel void slow(int *restrict X, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i * 3 - (i + i) + arange(0, 64);
        store(X + at, gather(load(X + at), 63 - arange(0, 64)) + i);
    }
}
kernel void quotient(int *restrict X, int n)
{
    for (int i = 0; i < n; i++) {
        int at = i / 2 * 3 + arange(0, 64);
        store(X + at, gather(load(X + at), 63 - arange(0, 64)) + i);
    }
}
---
run 1
X i32[256]
1 7 6 5 6 5 4 3 4 3 9 8 9 8 7 6 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4
run 2
X i32[256]
1 3 5 7 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4
run 3
X i32[256]
2 3 4 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 8 9 10 11 12 13 7 7 8 9 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4 5 6 7 1 2 3 4
