#ifndef TILEC_BASE_RANDOM_H
#define TILEC_BASE_RANDOM_H
/*
 * NumPy's default_rng(seed), draw for draw: PCG64 seeded through SeedSequence, uniform doubles from
 * the upper 53 bits, normals by the ziggurat. The lab's recorded inputs are reproduced with it, and
 * anybody with NumPy can make the same arrays.
 */
#include <stdint.h>

struct random {
    __extension__ unsigned __int128 state, increment;
    /* The ziggurat's tables, made when seeding: what is in a layer for certain, and its height. */
    uint64_t inside[256];
    double height[256];
};

/* As numpy.random.default_rng(seed). */
void random_seed(struct random *random, uint64_t seed);

/* 64 uniform bits. */
uint64_t random_bits(struct random *random);

/* Uniform in [0, 1), a multiple of 2^-53: as Generator.random(). */
double random_double(struct random *random);

/* low + (high - low) u, u uniform in [0, 1): as Generator.uniform(low, high). */
double random_uniform(struct random *random, double low, double high);

/* Mean 0, variance 1: as Generator.standard_normal(). */
double random_normal(struct random *random);

#endif
