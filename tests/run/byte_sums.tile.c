// Sums of bytes and of their distances (src/cpu/reduce_bytes.c): the greatest ones, with masks, of rows, as unsigned
// ints, of bytes that are computed, beside other sums in the same nest; and what only looks like it.
// run: :whole X=@x.npy Y=@y.npy Out=new:u32[12] n=1000 --out Out=out.npy
// run: :whole X=@x.npy Y=@y.npy Out=new:u32[12] n=1000 --out Out=out.npy --cpu x86-64-v3
// run: :whole X=@x.npy Y=@y.npy Out=new:u32[12] n=333 --out Out=out.npy
// run: :whole X=@x.npy Y=@y.npy Out=new:u32[12] n=5 --out Out=out.npy
// run: :rows X=rand:u8[40,70]:1 Y=rand:u8[40,70]:2 Out=new:i32[3,40] n=70 --out Out=out.npy -D W=128
// run: :rows X=rand:u8[40,70]:1 Y=rand:u8[40,70]:2 Out=new:i32[3,40] n=64 --out Out=out.npy -D W=64
// run: :rows X=rand:u8[40,70]:1 Y=rand:u8[40,70]:2 Out=new:i32[3,40] n=9 --out Out=out.npy -D W=16
// array x.npy u8[1024]: 255 255 0 7 128 127 1
// array y.npy u8[1024]: 0 255 255 3
#include <tilec/kernel.h>
launch_grid(whole, 1);
kernel void whole(const uint8_t *restrict X, const uint8_t *restrict Y, uint32_t *restrict Out, int n)
{
    int i = arange(0, 1024);
    bool ok = i < n;
    uint8_t x = load(X + i, ok), y = load(Y + i, ok, 9);
    store(Out, sum(x));
    store(Out + 1, sum(abs(x - y)));
    store(Out + 2, sum((uint32_t)x));
    store(Out + 3, sum((uint8_t)(x + y)));
    store(Out + 4, sum(where(x > y, x, 0)));
    store(Out + 5, sum(abs(x - 200)));
    store(Out + 6, sum((uint32_t)abs(x - y)));
    store(Out + 7, sum(abs((uint32_t)x - (uint32_t)y))); /* no distance: it wraps */
    store(Out + 8, sum(abs((int8_t)x - (int8_t)y)));
    store(Out + 9, sum(abs(x - y) * x));
    store(Out + 10, (uint32_t)sum((float)x * 0.5f) + sum(x));
    store(Out + 11, sum(x, axis(0)));
}
launch_grid(rows, 5);
kernel void rows(const uint8_t *restrict X, const uint8_t *restrict Y, int *restrict Out, int n, constexpr int W)
{
    int row = program_id(0) * 8 + expand_dims(arange(0, 8), 1), i = expand_dims(arange(0, W), 0);
    int at = program_id(0) * 8 + arange(0, 8);
    uint8_t x = load(X + row * 70 + i, i < n), y = load(Y + row * 70 + i, i < n);
    store(Out + at, sum(x, axis(1)));
    store(Out + 40 + at, sum(abs(x - y), axis(1)));
    int z = load(X + row * 70 + i, i < n && i > 2), down = sum(z, axis(0)); /* along another axis */
    store(Out + 80 + at, sum(down));
}
---
run 1
Out u32[12]
110538 128072 110538 111004 55612 125722 128072 4294949368 38432 14076376 165807 110538
run 2
Out u32[12]
110538 128072 110538 111004 55612 125722 128072 4294949368 38432 14076376 165807 110538
run 3
Out u32[12]
36848 48670 36848 43150 18540 178512 48670 4294955346 18790 4670466 55272 36848
run 4
Out u32[12]
645 9813 645 10073 390 204375 9813 4294958257 9305 81437 967 645
run 5
Out i32[3,40]
3684 3474 3491 2950 3162 3512 3456 3604 3487 3803 3562 3587 3418 3662 3608 3794 3544 3655 3301 3045 3357 3549 3329 3456 3312 3570 3482 3317 3517 3205 2886 3560 3686 3082 3605 3204 3602 3171 3623 3209
2313 2231 2393 2583 2475 2302 2257 2222 2190 2322 2544 2655 2479 2396 1980 2160 2243 2391 2332 2580 2023 1977 2188 2438 2090 2566 2385 2122 2026 2348 2145 2564 2770 2548 2331 2351 2085 2288 2231 1995
26205 26205 26205 26205 26205 26205 26205 26205 27906 27906 27906 27906 27906 27906 27906 27906 26183 26183 26183 26183 26183 26183 26183 26183 25727 25727 25727 25727 25727 25727 25727 25727 25973 25973 25973 25973 25973 25973 25973 25973
run 6
Out i32[3,40]
3313 3052 3141 2725 2862 3222 3248 3431 3207 3500 3241 3330 3049 3358 3252 3437 3218 3281 3022 2753 3059 3282 3087 3185 2957 3219 3068 3093 3193 2976 2677 3230 3436 2772 3258 2894 3279 2844 3385 3032
2080 2082 2187 2357 2314 2014 2026 2135 1945 2077 2319 2394 2284 2138 1849 2036 2039 2176 2047 2364 1730 1799 2059 2200 1895 2380 2133 1886 1872 2193 1907 2342 2511 2339 2082 2098 1817 2044 2084 1721
23866 23866 23866 23866 23866 23866 23866 23866 25359 25359 25359 25359 25359 25359 25359 25359 23834 23834 23834 23834 23834 23834 23834 23834 23291 23291 23291 23291 23291 23291 23291 23291 23691 23691 23691 23691 23691 23691 23691 23691
run 7
Out i32[3,40]
503 494 374 435 498 412 421 548 322 394 334 449 400 395 407 551 379 520 415 343 563 506 432 361 414 417 421 401 510 467 387 515 473 264 355 429 470 439 524 464
428 272 320 468 303 269 240 291 185 245 386 404 211 360 235 242 244 368 328 286 266 256 234 273 197 303 338 329 383 290 290 271 301 328 309 281 298 317 296 154
2557 2557 2557 2557 2557 2557 2557 2557 2237 2237 2237 2237 2237 2237 2237 2237 2466 2466 2466 2466 2466 2466 2466 2466 2410 2410 2410 2410 2410 2410 2410 2410 2209 2209 2209 2209 2209 2209 2209 2209
