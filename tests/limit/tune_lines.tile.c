tune(k, B0, 1, 2);
tune(k, B1, 1, 2);
tune(k, B2, 1, 2);
tune(k, B3, 1, 2);
tune(k, B4, 1, 2);
tune(k, B5, 1, 2);
tune(k, B6, 1, 2);
tune(k, B7, 1, 2);
tune(k, B8, 1, 2);
tune(k, B9, 1, 2);
tune(k, B10, 1, 2);
tune(k, B11, 1, 2);
tune(k, B12, 1, 2);
tune(k, B13, 1, 2);
tune(k, B14, 1, 2);
tune(k, B15, 1, 2);
tune(k, B16, 1, 2);
tune(k, B17, 1, 2);
tune(k, B18, 1, 2);
tune(k, B19, 1, 2);
tune(k, B20, 1, 2);
tune(k, B21, 1, 2);
tune(k, B22, 1, 2);
tune(k, B23, 1, 2);
tune(k, B24, 1, 2);
tune(k, B25, 1, 2);
tune(k, B26, 1, 2);
tune(k, B27, 1, 2);
tune(k, B28, 1, 2);
tune(k, B29, 1, 2);
tune(k, B30, 1, 2);
tune(k, B31, 1, 2);
tune(k, B32, 1, 2);
kernel void k(float *X,
              constexpr int B0, constexpr int B1, constexpr int B2, constexpr int B3,
              constexpr int B4, constexpr int B5, constexpr int B6, constexpr int B7,
              constexpr int B8, constexpr int B9, constexpr int B10, constexpr int B11,
              constexpr int B12, constexpr int B13, constexpr int B14, constexpr int B15,
              constexpr int B16, constexpr int B17, constexpr int B18, constexpr int B19,
              constexpr int B20, constexpr int B21, constexpr int B22, constexpr int B23,
              constexpr int B24, constexpr int B25, constexpr int B26, constexpr int B27,
              constexpr int B28, constexpr int B29, constexpr int B30, constexpr int B31,
              constexpr int B32)
{
    store(X, 1.0f);
}
---
tune_lines.tile.c:33:9: error: kernel 'k' has more than 32 tune lines
tune(k, B32, 1, 2);
        ^~~
