/*
 * Kernels as C programmers write them every day, for bench/everyday.c: they sort, search, count,
 * convert and update in place. Nothing in them is chosen for what tilec likes.
 */
#include <tilec/kernel.h>

/* One step of a bitonic sort of n ints, from one array into another. */
launch_grid(bitonic, cdiv(n, BLOCK));
kernel void bitonic(const int *restrict X, int *restrict Out, int n, int j, int k,
                    constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int a = load(X + i, i < n), b = load(X + (i ^ j), i < n);
    bool low = (i & j) == 0, up = (i & k) == 0;
    store(Out + i, where(low == up, minimum(a, b), maximum(a, b)), i < n);
}

/* The same in place: the lower place of each pair orders both. */
launch_grid(bitonic_place, cdiv(n, BLOCK));
kernel void bitonic_place(int *restrict X, int n, int j, int k, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK), other = i ^ j;
    bool mine = other > i && i < n;
    int a = load(X + i, mine), b = load(X + other, mine);
    bool up = (i & k) == 0;
    store(X + i, where(up, minimum(a, b), maximum(a, b)), mine);
    store(X + other, where(up, maximum(a, b), minimum(a, b)), mine);
}

/* Floyd and Warshall's shortest paths of n places, in place. */
launch_grid(floyd, 1);
kernel void floyd(float *restrict D, int n, constexpr int BLOCK)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < n; i++) {
            float via = D[i * n + k];
            for (int first = 0; first < n; first += BLOCK) {
                int j = first + arange(0, BLOCK);
                float d = load(D + i * n + j, j < n);
                store(D + i * n + j, minimum(d, via + load(D + k * n + j, j < n)), j < n);
            }
        }
    }
}

/* A sweep of Gauss and Seidel over the red points of a picture, in place, a row per program. */
launch_grid(redblack, height - 2);
kernel void redblack(float *restrict U, int height, int width, int red, constexpr int BLOCK)
{
    int y = program_id(0) + 1;
    for (int first = 0; first < width; first += 2 * BLOCK) {
        int x = first + 1 + (y + red) % 2 + 2 * arange(0, BLOCK);
        bool ok = x < width - 1;
        float *restrict u = U + y * width;
        float around = load(u + x - 1, ok) + load(u + x + 1, ok);
        around += load(u + x - width, ok) + load(u + x + width, ok);
        store(u + x, 0.25f * around, ok);
    }
}

/* The place of the greatest of each row, carried lane by lane. */
launch_grid(furthest, rows);
kernel void furthest(const float *restrict X, int *restrict Out, int rows, int n,
                     constexpr int BLOCK)
{
    int row = program_id(0), lane = arange(0, BLOCK);
    float best = full(float, -INFINITY, BLOCK);
    int at = zeros(int, BLOCK);
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + lane;
        float x = load(X + row * n + i, i < n, -INFINITY);
        at = where(x > best, i, at);
        best = where(x > best, x, best);
    }
    store(Out + row, min(where(best == max(best), at, n)));
}

/* How many letters, digits and blanks each piece of a text has. */
launch_grid(classes, cdiv(n, BLOCK));
kernel void classes(const uint8_t *restrict Text, int *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    uint8_t c = load(Text + i, i < n);
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    bool digit = c >= '0' && c <= '9';
    bool blank = c == ' ' || c == '\n' || c == '\t';
    store(Out + program_id(0) * 3, sum(where(letter, 1, 0)));
    store(Out + program_id(0) * 3 + 1, sum(where(digit, 1, 0)));
    store(Out + program_id(0) * 3 + 2, sum(where(blank, 1, 0)));
}

/* Capitals for small letters. */
launch_grid(upper, cdiv(n, BLOCK));
kernel void upper(const uint8_t *restrict Text, uint8_t *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    uint8_t c = load(Text + i, i < n);
    store(Out + i, where(c >= 'a' && c <= 'z', c - 32, c), i < n);
}

/* Two hexadecimal digits per byte. */
launch_grid(hex, cdiv(n, BLOCK));
kernel void hex(const uint8_t *restrict X, uint8_t *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int x = load(X + i, i < n), high = x >> 4, low = x & 15;
    store(Out + 2 * i, high + where(high < 10, '0', 'a' - 10), i < n);
    store(Out + 2 * i + 1, low + where(low < 10, '0', 'a' - 10), i < n);
}

/* Floats of blocks { half d; int8_t q[32]; }: d * q. Both parameters are the same memory. */
launch_grid(q8_floats, cdiv(blocks, BLOCK));
kernel void q8_floats(const half *Scale, const int8_t *Q, float *restrict Out, int blocks,
                      constexpr int BLOCK)
{
    int b = program_id(0) * BLOCK + expand_dims(arange(0, BLOCK), 1);
    int i = expand_dims(arange(0, 32), 0);
    float d = load(Scale + b * 17, b < blocks);
    store(Out + b * 32 + i, d * load(Q + b * 34 + 2 + i, b < blocks), b < blocks);
}

/* Rows of such blocks times a vector of floats. */
launch_grid(q8_product, rows);
kernel void q8_product(const half *Scale, const int8_t *Q, const float *restrict V,
                       float *restrict Out, int rows, int blocks, constexpr int BLOCK)
{
    int row = program_id(0), i = expand_dims(arange(0, 32), 0);
    float total = 0;
    for (int first = 0; first < blocks; first += BLOCK) {
        int b = first + expand_dims(arange(0, BLOCK), 1), at = row * blocks + b;
        bool ok = b < blocks;
        float q = load(Q + at * 34 + 2 + i, ok), v = load(V + b * 32 + i, ok);
        float d = load(Scale + at * 17, ok);
        total += sum(d * sum(q * v, axis(1), keep));
    }
    store(Out + row, total);
}

/* Rows of such blocks times a vector of such blocks, in ints. */
launch_grid(q8_dot, rows);
kernel void q8_dot(const half *Scale, const int8_t *Q, const half *VScale, const int8_t *V,
                   float *restrict Out, int rows, int blocks, constexpr int BLOCK)
{
    int row = program_id(0), i = expand_dims(arange(0, 32), 0);
    float total = 0;
    for (int first = 0; first < blocks; first += BLOCK) {
        int b = first + expand_dims(arange(0, BLOCK), 1), at = row * blocks + b;
        bool ok = b < blocks;
        int q = load(Q + at * 34 + 2 + i, ok), v = load(V + b * 34 + 2 + i, ok);
        float d = load(Scale + at * 17, ok), s = load(VScale + b * 17, ok);
        total += sum(d * s * (float)sum(q * v, axis(1), keep));
    }
    store(Out + row, total);
}

/* Sums of products as bytes again: a scale, and a place of zero. */
launch_grid(requantise, cdiv(n, BLOCK));
kernel void requantise(const int *restrict X, int8_t *restrict Out, int n, float scale, int zero,
                       constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int q = (int)rint(load(X + i, i < n) * scale) + zero;
    store(Out + i, minimum(maximum(q, -128), 127), i < n);
}

/* The same as engines without floats do it: a product of which the upper bits are rounded. */
launch_grid(rescale, cdiv(n, BLOCK));
kernel void rescale(const int *restrict X, int8_t *restrict Out, int n, int multiplier, int shift,
                    int zero, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int64_t product = (int64_t)load(X + i, i < n) * multiplier;
    int q = (int)((product + ((int64_t)1 << (shift - 1))) >> shift) + zero;
    store(Out + i, minimum(maximum(q, -128), 127), i < n);
}

/* Products of complex numbers, real and imaginary part beside each other. */
launch_grid(complex_product, cdiv(n, BLOCK));
kernel void complex_product(const float *restrict X, const float *restrict Y, float *restrict Out,
                            int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = i < n;
    float a = load(X + 2 * i, ok), b = load(X + 2 * i + 1, ok);
    float c = load(Y + 2 * i, ok), d = load(Y + 2 * i + 1, ok);
    store(Out + 2 * i, a * c - b * d, ok);
    store(Out + 2 * i + 1, a * d + b * c, ok);
}

/* A step of the game of life in bytes; what is outside is dead. */
launch_grid(life, cdiv(width, BLOCK), height);
kernel void life(const uint8_t *restrict X, uint8_t *restrict Out, int height, int width,
                 constexpr int BLOCK)
{
    int y = program_id(1), x = program_id(0) * BLOCK + arange(0, BLOCK);
    uint8_t alive = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            bool ok = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
            alive += load(X + (y + dy) * width + x + dx, ok);
        }
    }
    uint8_t here = load(X + y * width + x, x < width);
    alive -= here;
    store(Out + y * width + x, where(alive == 3 || (alive == 2 && here == 1), 1, 0), x < width);
}

/* Which of m centres is nearest to each point of a plane. */
launch_grid(nearest, cdiv(n, BLOCK));
kernel void nearest(const float *restrict X, const float *restrict Centres, int *restrict Out,
                    int n, int m, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + 2 * i, i < n), y = load(X + 2 * i + 1, i < n);
    float least = INFINITY;
    int which = 0;
    for (int c = 0; c < m; c++) {
        float dx = x - Centres[2 * c], dy = y - Centres[2 * c + 1];
        float d = dx * dx + dy * dy;
        which = where(d < least, c, which);
        least = where(d < least, d, least);
    }
    store(Out + i, which, i < n);
}

/* Two tracks of 16 bits become one, which saturates. */
launch_grid(mix, cdiv(n, BLOCK));
kernel void mix(const int16_t *restrict X, const int16_t *restrict Y, int16_t *restrict Out, int n,
                constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    int s = load(X + i, i < n) + load(Y + i, i < n);
    store(Out + i, minimum(maximum(s, -32768), 32767), i < n);
}

/* A picture's bytes become brighter or darker. */
launch_grid(brighter, cdiv(n, BLOCK));
kernel void brighter(const uint8_t *restrict X, uint8_t *restrict Out, int n, int by,
                     constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    store(Out + i, minimum(maximum(load(X + i, i < n) + by, 0), 255), i < n);
}

/* Means and differences of two halves, in place: a step of Haar's transform. */
launch_grid(haar, cdiv(half_count, BLOCK));
kernel void haar(float *restrict X, int n, int half_count, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = i < half_count;
    float a = load(X + i, ok), b = load(X + i + half_count, ok);
    store(X + i, 0.5f * (a + b), ok);
    store(X + i + half_count, 0.5f * (a - b), ok);
}

/* Planes of interleaved bytes of three colours. */
launch_grid(planes, cdiv(n, BLOCK));
kernel void planes(const uint8_t *restrict X, uint8_t *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = i < n;
    store(Out + i, load(X + 3 * i, ok), ok);
    store(Out + n + i, load(X + 3 * i + 1, ok), ok);
    store(Out + 2 * n + i, load(X + 3 * i + 2, ok), ok);
}

/* Words of another byte order. */
launch_grid(swap, cdiv(n, BLOCK));
kernel void swap(const uint32_t *restrict X, uint32_t *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    uint32_t x = load(X + i, i < n);
    store(Out + i, x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24, i < n);
}

/* A matrix times a vector. */
launch_grid(gemv, n);
kernel void gemv(const float *restrict A, const float *restrict X, float *restrict Out, int n,
                 int m, constexpr int BLOCK)
{
    int row = program_id(0);
    float total = zeros(float, BLOCK);
    for (int first = 0; first < m; first += BLOCK) {
        int j = first + arange(0, BLOCK);
        total += load(A + row * m + j, j < m) * load(X + j, j < m);
    }
    store(Out + row, sum(total));
}

/* A convolution of 3 by 3 in tiles of 8 rows; what is outside is 0. */
launch_grid(conv3, cdiv(width, BLOCK), cdiv(height, 8));
kernel void conv3(const float *restrict X, const float *restrict W, float *restrict Out, int height,
                  int width, constexpr int BLOCK)
{
    int y = program_id(1) * 8 + expand_dims(arange(0, 8), 1);
    int x = program_id(0) * BLOCK + expand_dims(arange(0, BLOCK), 0);
    float total = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            bool ok = y + dy >= 0 && y + dy < height && x + dx >= 0 && x + dx < width;
            total += W[(dy + 1) * 3 + dx + 1] * load(X + (y + dy) * width + x + dx, ok);
        }
    }
    store(Out + y * width + x, total, y < height && x < width);
}

/* The same with the edges repeated. */
launch_grid(conv3_edges, cdiv(width, BLOCK), cdiv(height, 8));
kernel void conv3_edges(const float *restrict X, const float *restrict W, float *restrict Out,
                        int height, int width, constexpr int BLOCK)
{
    int y = program_id(1) * 8 + expand_dims(arange(0, 8), 1);
    int x = program_id(0) * BLOCK + expand_dims(arange(0, BLOCK), 0);
    bool ok = y < height && x < width;
    float total = 0;
    for (int dy = 0; dy < 3; dy++) {
        for (int dx = 0; dx < 3; dx++) {
            int row = clamp(y + dy - 1, 0, height - 1), column = clamp(x + dx - 1, 0, width - 1);
            total += W[dy * 3 + dx] * load(X + row * width + column, ok);
        }
    }
    store(Out + y * width + x, total, ok);
}

/* A step of the heat equation in tiles of 8 rows; the edges stay as they are. */
launch_grid(heat, cdiv(width, BLOCK), cdiv(height, 8));
kernel void heat(const float *restrict X, float *restrict Out, int height, int width, float rate,
                 constexpr int BLOCK)
{
    int y = program_id(1) * 8 + expand_dims(arange(0, 8), 1);
    int x = program_id(0) * BLOCK + expand_dims(arange(0, BLOCK), 0);
    bool in = y < height && x < width;
    bool inner = y > 0 && y < height - 1 && x > 0 && x < width - 1;
    int at = y * width + x;
    float here = load(X + at, in);
    float around = load(X + at - 1, inner) + load(X + at + 1, inner) + load(X + at - width, inner) +
                   load(X + at + width, inner);
    store(Out + at, where(inner, here + rate * (around - 4.0f * here), here), in);
}

/* The greatest of each 2 by 2 of a picture. */
launch_grid(pool, cdiv(width / 2, BLOCK), height / 2);
kernel void pool(const float *restrict X, float *restrict Out, int height, int width,
                 constexpr int BLOCK)
{
    int y = program_id(1), x = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = x < width / 2;
    const float *restrict row = X + 2 * y * width + 2 * x;
    float above = maximum(load(row, ok), load(row + 1, ok));
    float below = maximum(load(row + width, ok), load(row + width + 1, ok));
    store(Out + y * (width / 2) + x, maximum(above, below), ok);
}

/* The greatest of m elements from each on. */
launch_grid(moving, cdiv(n, BLOCK));
kernel void moving(const float *restrict X, float *restrict Out, int n, int m, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float most = -INFINITY;
    for (int k = 0; k < m; k++)
        most = maximum(most, load(X + i + k, i + k < n, -INFINITY));
    store(Out + i, most, i < n);
}

/* A picture of another size, between four neighbours each. */
launch_grid(bilinear, cdiv(wide, BLOCK), high);
kernel void bilinear(const float *restrict X, float *restrict Out, int height, int width, int high,
                     int wide, constexpr int BLOCK)
{
    int row = program_id(1), column = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = column < wide;
    float y = (float)row * ((float)(height - 1) / (float)(high - 1));
    float x = (float)column * ((float)(width - 1) / (float)(wide - 1));
    int y0 = (int)y, x0 = (int)x;
    int y1 = minimum(y0 + 1, height - 1), x1 = minimum(x0 + 1, width - 1);
    float dy = y - (float)y0, dx = x - (float)x0;
    float a = load(X + y0 * width + x0, ok), b = load(X + y0 * width + x1, ok);
    float c = load(X + y1 * width + x0, ok), d = load(X + y1 * width + x1, ok);
    float above = a + dx * (b - a), below = c + dx * (d - c);
    store(Out + row * wide + column, above + dy * (below - above), ok);
}

/* Interleaved bytes of planes of three colours. */
launch_grid(merge, cdiv(n, BLOCK));
kernel void merge(const uint8_t *restrict X, uint8_t *restrict Out, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    bool ok = i < n;
    store(Out + 3 * i, load(X + i, ok), ok);
    store(Out + 3 * i + 1, load(X + n + i, ok), ok);
    store(Out + 3 * i + 2, load(X + 2 * n + i, ok), ok);
}

/* How often each byte occurs; Count is added to. */
launch_grid(histogram, cdiv(n, BLOCK));
kernel void histogram(const uint8_t *restrict X, int *restrict Count, int n, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    atomic_add(Count + load(X + i, i < n), 1, i < n);
}

/* A sparse matrix times a vector: row r has the elements from Start[r] to Start[r + 1]. */
launch_grid(csr, rows);
kernel void csr(const int *restrict Start, const int *restrict Column, const float *restrict Value,
                const float *restrict X, float *restrict Out, int rows, constexpr int BLOCK)
{
    int row = program_id(0), end = Start[row + 1];
    float total = zeros(float, BLOCK);
    for (int first = Start[row]; first < end; first += BLOCK) {
        int i = first + arange(0, BLOCK);
        int column = load(Column + i, i < end);
        total += load(Value + i, i < end) * load(X + column, i < end);
    }
    store(Out + row, sum(total));
}

/* The positive ones of n ints, then a 0. */
launch_grid(compact, 1);
kernel void compact(const int *restrict X, int *restrict Out, int n, constexpr int BLOCK)
{
    int count = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + arange(0, BLOCK);
        int x = load(X + i, i < n);
        int one = where(x > 0, 1, 0);
        store(Out + count + cumsum(one, exclusive), x, x > 0);
        count += sum(one);
    }
    store(Out + count, 0);
}

/* Running sums of n ints. */
launch_grid(prefix, 1);
kernel void prefix(const int *restrict X, int *restrict Out, int n, constexpr int BLOCK)
{
    int total = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + arange(0, BLOCK);
        int x = load(X + i, i < n);
        store(Out + i, total + cumsum(x), i < n);
        total += sum(x);
    }
}

/* The same of floats. */
launch_grid(prefix_floats, 1);
kernel void prefix_floats(const float *restrict X, float *restrict Out, int n, constexpr int BLOCK)
{
    float total = 0;
    for (int first = 0; first < n; first += BLOCK) {
        int i = first + arange(0, BLOCK);
        float x = load(X + i, i < n);
        store(Out + i, total + cumsum(x), i < n);
        total += sum(x);
    }
}

/* Sums of each row from each element on. */
launch_grid(row_suffix, rows);
kernel void row_suffix(const float *restrict X, float *restrict Out, int rows, int n,
                       constexpr int BLOCK)
{
    int row = program_id(0), j = arange(0, BLOCK);
    float x = load(X + row * n + j, j < n);
    store(Out + row * n + j, cumsum(x, reverse), j < n);
}

/* Each row without its mean. */
launch_grid(centre, rows);
kernel void centre(const float *restrict X, float *restrict Out, int rows, int n,
                   constexpr int BLOCK)
{
    int row = program_id(0), j = arange(0, BLOCK);
    float x = load(X + row * n + j, j < n);
    store(Out + row * n + j, x - sum(x) / n, j < n);
}
