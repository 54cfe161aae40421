// Loops of every form, with the values that C gives.
// run: Out=new:i32[76] n=33 u=3 -D B=8 --out Out=out.npy
#include <tilec/kernel.h>
launch_grid(k, 1);
kernel void k(int *Out, int n, unsigned u, constexpr int B)
{
    int at = 0;
    for (int k = 1; k < n; k *= 2) {
        store(Out + at, k);
        at++;
    }
    int k;
    for (k = n; k > 0; k /= 2) {
        store(Out + at, k);
        at++;
    }
    for (k = 1; k < n; k <<= 1) {
        if (k == 4)
            continue;
        if (k == 16)
            break;
        store(Out + at, k);
        at++;
    }
    store(Out + at, k);
    at++;
    for (int m = B; m > 0; m >>= 1) {
        store(Out + at, m);
        at++;
    }
    int i;
    for (i = 0; i < n; i += 7) {
        store(Out + at, i);
        at++;
    }
    store(Out + at, i);
    at++;
    for (i = n; i != 0; i--) {
    }
    store(Out + at, i);
    at++;
    for (int a = 0, b = n; a < b; a++, b -= 2) {
        store(Out + at, a * 1000 + b);
        at++;
    }
    for (int a = 0, e = n / 4; a < e; a++) {
        store(Out + at, a);
        at++;
    }
    for (unsigned a = 0; a < u; a++) {
        store(Out + at, a);
        at++;
    }
    for (int a = 0; a < 2.5f; a++) {
        store(Out + at, a);
        at++;
    }
    for (int a = 0; a < n; a++) {
        a += 3;
        store(Out + at, a);
        at++;
    }
    for (;;) {
        n -= 9;
        if (n < 0)
            break;
    }
    store(Out + at, n);
    at++;
    int last;
    do {
        last = at * 2;
        at++;
    } while (at < 60);
    store(Out + at, last);
    do {
        at++;
        if (at == 63)
            continue;
        store(Out + at, 7);
    } while (at < 65);
    do {
        store(Out + at, 5);
        at++;
    } while (0);
}
---
run 1
loops.tile.c:50:19: perf: this loop is not counted, but tests its condition in each turn: 'a' is unsigned
    for (unsigned a = 0; a < u; a++) {
                  ^
hint: counter, bound and step of type int or long are counted
Out i32[76]
1 2 4 8 16 32 33 16 8 4 2 1 1 2 8 16 8 4 2 1 0 7 14 21 28 35 0 33 1031 2029 3027 4025 5023 6021 7019 8017 9015 10013 0 1 2 3 4 5 6 7 0 1 2 0 1 2 3 7 11 15 19 23 27 31 35 -3 -1515870811 124 7 5 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811 -1515870811
