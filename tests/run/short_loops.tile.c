// Loops of few trips that carry tiles: the counter's values (not from 0, a step that misses the
// bound, downwards), two tiles that change places, loops in loops, a branch on the counters, lanes
// past the end, and a body that is long enough for vectors of two registers.
// run: Out=new:i32[4,11] --out Out=out.npy
// run: :rounds Out=new:u32[19] --out Out=words.npy
#include <tilec/kernel.h>
launch_grid(k, 1);
launch_grid(rounds, 1);

static int power(int base, constexpr int exponent)
{
    int result = 1;
    for (int i = 0; i < exponent; i++)
        result *= base;
    return result;
}

kernel void k(int *Out)
{
    int i = arange(0, 11);
    int a = i, b = 1;
    for (int t = 3; t < 10; t += 3) {
        int next = a + b * t;
        a = b;
        b = next;
    }
    store(Out + i, b);
    int down = i;
    for (int t = 4; t > 0; t--)
        down = down * 2 + t;
    store(Out + 11 + i, down);
    int nested = zeros(int, 11);
    for (int s = 0; s < 3; s++)
        for (int t = 0; t < 2; t++) {
            if (s == t)
                nested = nested * 10;
            nested += i + s;
        }
    store(Out + 22 + i, nested);
    store(Out + 33 + i, power(i - 5, 3));
}

/* Marsaglia's xorshift, 20 times. */
kernel void rounds(uint32_t *Out)
{
    int i = arange(0, 19);
    uint32_t x = (uint32_t)i + 1;
    for (int t = 0; t < 20; t++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    store(Out + i, x);
}
---
run 1
Out i32[4,11]
174 229 284 339 394 449 504 559 614 669 724
49 65 81 97 113 129 145 161 177 193 209
15 48 81 114 147 180 213 246 279 312 345
-125 -64 -27 -8 -1 0 1 8 27 64 125
run 2
Out u32[19]
4283899417 806719899 3477245826 2857461417 1426487472 2588210994 1695803691 4024505547 280365778 3757344080 547593033 1169191522 3135728763 1973806073 2331180512 1856406077 2448530468 1588794278 2716077503
