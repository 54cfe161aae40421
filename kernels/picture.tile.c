#include <tilec/kernel.h>

/*
 * Pictures of bytes, [height, width] or [count, channels], row-major. Beyond an edge lies what lies at
 * the edge. One program per row and block of columns, or per block of pixels.
 */

/* The three elements of a row around x. */
static int three(const uint8_t *row, int x, int width, int left, int middle, int right)
{
    int a = load(row + maximum(x - 1, 0), x < width);
    int b = load(row + x, x < width);
    int c = load(row + minimum(x + 1, width - 1), x < width);
    return left * a + middle * b + right * c;
}

launch_grid(blur, cdiv(width, BLOCK), height);
tune(blur, BLOCK, 1024, 256);

/* The mean of 3 by 3 elements, rounded to nearest. X and Out are [height, width]. */
kernel void blur(const uint8_t *restrict X, uint8_t *restrict Out, int height, int width,
                 constexpr int BLOCK)
{
    int y = program_id(1);
    int x = program_id(0) * BLOCK + arange(0, BLOCK);
    int above = three(X + maximum(y - 1, 0) * width, x, width, 1, 1, 1);
    int here = three(X + y * width, x, width, 1, 1, 1);
    int below = three(X + minimum(y + 1, height - 1) * width, x, width, 1, 1, 1);
    store(Out + y * width + x, (above + here + below + 4) / 9, x < width);
}

launch_grid(sobel, cdiv(width, BLOCK), height);
tune(sobel, BLOCK, 1024, 256);

/* |gx| + |gy| of Sobel's gradients, at most 255. X and Out are [height, width]. */
kernel void sobel(const uint8_t *restrict X, uint8_t *restrict Out, int height, int width,
                  constexpr int BLOCK)
{
    int y = program_id(1);
    int x = program_id(0) * BLOCK + arange(0, BLOCK);
    const uint8_t *above = X + maximum(y - 1, 0) * width;
    const uint8_t *here = X + y * width;
    const uint8_t *below = X + minimum(y + 1, height - 1) * width;
    int gx = three(above, x, width, -1, 0, 1) + three(here, x, width, -2, 0, 2) +
             three(below, x, width, -1, 0, 1);
    int gy = three(below, x, width, 1, 2, 1) - three(above, x, width, 1, 2, 1);
    store(Out + y * width + x, minimum(abs(gx) + abs(gy), 255), x < width);
}

launch_grid(gray, cdiv(count, BLOCK));
tune(gray, BLOCK, 4096, 1024);

/* Brightness: X is [count, 3], red, green and blue; Out is [count]. */
kernel void gray(const uint8_t *restrict X, uint8_t *restrict Out, int count, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int red = load(X + 3 * i, i < count);
    int green = load(X + 3 * i + 1, i < count);
    int blue = load(X + 3 * i + 2, i < count);
    store(Out + i, (77 * red + 150 * green + 29 * blue + 128) >> 8, i < count);
}

/* a over b, by an alpha of 0 to 255, rounded to nearest */
static int mix(int a, int b, int alpha)
{
    int scaled = a * alpha + b * (255 - alpha) + 128;
    return (scaled + (scaled >> 8)) >> 8;
}

launch_grid(blend, cdiv(count, BLOCK));
tune(blend, BLOCK, 4096, 1024);

/* X over Y by X's alpha. X, Y and Out are [count, 4]: red, green, blue and alpha. */
kernel void blend(const uint8_t *restrict X, const uint8_t *restrict Y, uint8_t *restrict Out, int count,
                  constexpr int BLOCK)
{
    int i = 4 * (program_id(0) * BLOCK + arange(0, BLOCK));
    bool inside = i < 4 * count;
    int alpha = load(X + i + 3, inside);
    store(Out + i, mix(load(X + i, inside), load(Y + i, inside), alpha), inside);
    store(Out + i + 1, mix(load(X + i + 1, inside), load(Y + i + 1, inside), alpha), inside);
    store(Out + i + 2, mix(load(X + i + 2, inside), load(Y + i + 2, inside), alpha), inside);
    store(Out + i + 3, mix(255, load(Y + i + 3, inside), alpha), inside);
}
