/*
 * NumPy's default_rng in C.
 *
 * Three published pieces: SeedSequence (O'Neill's seed_seq alternative: hash the seed's words into a
 * pool of four, then hash the pool into as many words as wanted), PCG64 (a 128-bit linear
 * congruential generator whose output is xored to 64 bits and rotated: XSL-RR), and Marsaglia and
 * Tsang's ziggurat with 256 layers and 52-bit abscissae. What matters is agreement with NumPy to the
 * last bit, so constants and the order of draws are NumPy's.
 */
#include "base/random.h"

#include <math.h>
#include <stdbool.h>

__extension__ typedef unsigned __int128 uint128;

enum { POOL = 4 };

static const double edges[256] = {
#define EDGE(x) x,
#include "base/ziggurat.def"
#undef EDGE
};

/* Where the tail starts, the last edge, and its inverse. */
static const double tail_start = 3.6541528853610088;
static const double tail_start_inverse = 0.27366123732975828;

/* ---- SeedSequence ----------------------------------------------------------------------------- */

/* One step of hashing: the constant moves on with every word. */
static uint32_t hash_word(uint32_t word, uint32_t *constant, uint32_t multiplier)
{
    word ^= *constant;
    *constant *= multiplier;
    word *= *constant;
    return word ^ word >> 16;
}

static uint32_t mix_words(uint32_t x, uint32_t y)
{
    uint32_t mixed = 0xca01f9ddU * x - 0x4973f715U * y;
    return mixed ^ mixed >> 16;
}

static void seed_words(uint64_t seed, uint32_t *words, int count)
{
    const uint32_t pool_multiplier = 0x931e8875U;
    const uint32_t output_multiplier = 0x58f38dedU;
    uint32_t entropy[POOL] = {(uint32_t)seed, (uint32_t)(seed >> 32), 0, 0};
    uint32_t pool[POOL];
    uint32_t constant = 0x43b0d7e5U;

    for (int i = 0; i < POOL; i++)
        pool[i] = hash_word(entropy[i], &constant, pool_multiplier);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to)
                pool[to] =
                    mix_words(pool[to], hash_word(pool[from], &constant, pool_multiplier));

    constant = 0x8b51f9ddU;
    for (int i = 0; i < count; i++)
        words[i] = hash_word(pool[i % POOL], &constant, output_multiplier);
}

/* ---- PCG64 ------------------------------------------------------------------------------------- */

static void pcg_step(struct random *random)
{
    const uint128 multiplier =
        (uint128)UINT64_C(0x2360ed051fc65da4) << 64 | UINT64_C(0x4385df649fccf645);
    random->state = random->state * multiplier + random->increment;
}

static uint128 words_to_128(const uint32_t words[4])
{
    uint64_t high = (uint64_t)words[1] << 32 | words[0];
    uint64_t low = (uint64_t)words[3] << 32 | words[2];
    return (uint128)high << 64 | low;
}

uint64_t random_bits(struct random *random)
{
    pcg_step(random);
    uint64_t folded = (uint64_t)(random->state >> 64) ^ (uint64_t)random->state;
    unsigned turn = (unsigned)(random->state >> 122);
    return folded >> turn | folded << (-turn & 63);
}

double random_double(struct random *random)
{
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double random_uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_double(random);
}

/* ---- Ziggurat ---------------------------------------------------------------------------------- */

static void ziggurat_init(struct random *random)
{
    for (int i = 0; i < 256; i++) {
        /* Layer i is inside the curve up to the edge above it; layer 1 nowhere, layer 0 (which
         * stands for the tail too) up to where the tail starts. */
        double above = i == 0 ? edges[255] : i == 1 ? 0.0 : edges[i - 1];
        random->inside[i] = (uint64_t)rint(above / edges[i] * 0x1p52);
        random->height[i] = i == 0 ? 1.0 : exp(-0.5 * edges[i] * edges[i]);
    }
}

/* A draw from beyond tail_start: Marsaglia's exponential majorant. */
static double normal_tail(struct random *random, bool negative)
{
    for (;;) {
        double x = -tail_start_inverse * log1p(-random_double(random));
        double y = -log1p(-random_double(random));
        if (y + y > x * x)
            return negative ? -(tail_start + x) : tail_start + x;
    }
}

double random_normal(struct random *random)
{
    for (;;) {
        uint64_t bits = random_bits(random);
        int layer = (int)(bits & 0xff);
        bool negative = bits >> 8 & 1;
        uint64_t place = bits >> 9 & UINT64_C(0x000fffffffffffff);
        double x = (double)place * (edges[layer] * 0x1p-52);
        if (negative)
            x = -x;
        if (place < random->inside[layer])
            return x;
        if (layer == 0) /* the tail's sign comes from another bit */
            return normal_tail(random, place >> 8 & 1);
        double low = random->height[layer], high = random->height[layer - 1];
        if ((high - low) * random_double(random) + low < exp(-0.5 * x * x))
            return x;
    }
}

void random_seed(struct random *random, uint64_t seed)
{
    uint32_t words[8];
    seed_words(seed, words, 8);
    random->increment = words_to_128(words + 4) << 1 | 1;
    random->state = 0;
    pcg_step(random);
    random->state += words_to_128(words);
    pcg_step(random);
    ziggurat_init(random);
}
