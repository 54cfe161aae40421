/*
 * The generator is NumPy's: known draws, and the input hashes of the recorded experiments
 * (RMSNorm and GEMM, half and float), which cover 5.9 million normals.
 */
#include "base/half.h"
#include "base/random.h"

#include <math.h>
#include <openssl/evp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const double edges[256] = {
#define EDGE(x) x,
#include "base/ziggurat.def"
#undef EDGE
};

/* The layers have one area: the literals satisfy the recurrence that defines them. */
static void edges_follow_the_recurrence(void **state)
{
    (void)state;
    const double r = edges[255];
    const double area = r * exp(-r * r / 2) + sqrt(acos(-1.0) / 2) * erfc(r / sqrt(2.0));
    assert_true(fabs(edges[0] * exp(-r * r / 2) / area - 1) < 1e-14);
    for (int i = 254; i >= 1; i--) {
        double next = edges[i + 1];
        double height = exp(-next * next / 2) + area / next;
        assert_true(fabs(edges[i] - sqrt(-2 * log(height))) < 1e-14);
    }
}

/* numpy.random.default_rng(S) printed these. */
static void known_draws(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 0);
    assert_int_equal(random_bits(&random), UINT64_C(0xa30febcfd9c2825f));
    assert_int_equal(random_bits(&random), UINT64_C(0x4510bdf882d9d721));
    random_seed(&random, UINT64_C(12345678901234567890));
    assert_int_equal(random_bits(&random), UINT64_C(0x114e1b88d306508));
    random_seed(&random, 42);
    assert_true(random_double(&random) == 0x1.8c43f79a2db24p-1);
    assert_true(random_uniform(&random, 0.5, 1.5) == 0x1.e0b4acc34f23fp-1);
    random_seed(&random, 7);
    assert_true(random_normal(&random) == 0x1.427a31c1ffc58p-10);
    assert_true(random_normal(&random) == 0x1.31ea59a5b303ep-2);
    for (int i = 2; i < 100000; i++)
        random_normal(&random);
    assert_true(random_normal(&random) == -0x1.b8acc236e0fb4p-4);
}

/* Values as the storage type: half where is_half, else float; into bytes, which is returned. */
static unsigned char *store_value(unsigned char *bytes, bool is_half, double value)
{
    if (is_half) {
        uint16_t bits = half_from_double(value);
        memcpy(bytes, &bits, sizeof bits);
        return bytes + sizeof bits;
    }
    float single = (float)value;
    memcpy(bytes, &single, sizeof single);
    return bytes + sizeof single;
}

static void assert_hash(const unsigned char *bytes, size_t size, const char *expected)
{
    unsigned char digest[32];
    char text[65];
    assert_int_equal(EVP_Digest(bytes, size, digest, NULL, EVP_sha256(), NULL), 1);
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

struct rmsnorm_case {
    bool is_half;
    int width, batches;
    const char *hash;
};

static void rmsnorm_inputs(void **state)
{
    (void)state;
    static const struct rmsnorm_case cases[] = {
        {true, 1009, 1,
         "cb6dd90eb0a5bc181128b665f829e53cb4946745126205c9d191260c99b2feae"},
        {true, 1009, 32,
         "014d6f63aaa0f6df36a02e5886f8360dab7051acc3349829679366e37844867f"},
        {true, 1009, 256,
         "e64349f97c4a70f4c2180203b9e570a49c161d83253225e4064d07dd8bdf3f20"},
        {true, 1024, 1,
         "2683d33d5488a5a041b96bad34b12812090a3bdd2790e18d2ab72e5cdeabab46"},
        {true, 1024, 32,
         "fa99fe5ecc0aae3dd09318ede3a8af87372981bfcb0382b49ef6ac785c03f160"},
        {true, 1024, 256,
         "53342c1f866f09f04f991c436154e5a5f8a0df92d7cda7a5a874d5a4f101df4e"},
        {false, 1009, 1,
         "860c5a452325a90578a2d2387dc453c128cc75b81884397cab9fbd0260086958"},
        {false, 1009, 32,
         "6b1cd45f16e5a7cc4cf4dcb5e0daa0de047f07f86ca551d45f32adbfa601952f"},
        {false, 1009, 256,
         "0551977199314ba641c1f1aa1b38f2bb6e9d365a3e72d53d8169010513d127b9"},
        {false, 1024, 1,
         "b8cfb574853a3e5848ec61834c2c552b049faa07bf8f4ce7db9e0ef2922ecbc9"},
        {false, 1024, 32,
         "499a25f7fd35c55afd4b7a3976c93143922f55c10bc7606063d0e319074555b6"},
        {false, 1024, 256,
         "f61c4e8f726835a1e764268c9c4c3dff8764ce393b77d1885758b130e4e61cd2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct rmsnorm_case *c = &cases[i];
        size_t count = (size_t)c->width * (size_t)c->batches;
        unsigned char *bytes = malloc((count + (size_t)c->width) * 4);
        unsigned char *end = bytes;
        struct random random;
        random_seed(&random, (uint64_t)(619 + 1009 * c->width + 17 * c->batches + !c->is_half));
        for (size_t k = 0; k < count; k++)
            end = store_value(end, c->is_half, random_normal(&random));
        for (int k = 0; k < c->width; k++)
            end = store_value(end, c->is_half, random_uniform(&random, 0.5, 1.5));
        assert_hash(bytes, (size_t)(end - bytes), c->hash);
        free(bytes);
    }
}

struct gemm_case {
    bool is_half;
    int m, n, k;
    const char *hash;
};

static void gemm_inputs(void **state)
{
    (void)state;
    static const struct gemm_case cases[] = {
        {true, 64, 64, 64,
         "f7743c34dfc78564a28e726c1924c410fbdb76f4158beba809e487c7fdc4d8b3"},
        {true, 256, 256, 256,
         "93ab6d6120e1756849446ff813e60fbd0616fa9eec32fbbd8c515ecaa3488b3d"},
        {true, 1024, 1024, 1024,
         "a3cdef8bbc69c848e84c524701f359db6268c696607cea04283a35e3be9e32c1"},
        {true, 257, 255, 259,
         "9b256a8e5e5aa03086c616dbb685bfb3b2a3838b8a2de16524f12307645110ef"},
        {false, 64, 64, 64,
         "5daffc014e3bf6c7425a716bc5a36f0a9f5ac3d06a994a5e9e8084b7cfb9cd1b"},
        {false, 256, 256, 256,
         "ceba1209c2607c35efa378403bf1bd3a583a3330944ee09239152ee064143b95"},
        {false, 1024, 1024, 1024,
         "16ed3544359adfe6ed4ecc94e89ed08c70fd5aeef3243f80b2009c2096d05f8c"},
        {false, 257, 255, 259,
         "acff8f3e2b353c103ecee705731d3d2c8c26b98f0a80634d1fd4a06c38113a26"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gemm_case *c = &cases[i];
        size_t a_count = (size_t)c->m * (size_t)c->k, b_count = (size_t)c->k * (size_t)c->n;
        unsigned char *bytes = malloc((a_count + b_count) * 4);
        unsigned char *end = bytes;
        struct random random;
        random_seed(&random, 431 + i);
        for (size_t k = 0; k < a_count; k++)
            end = store_value(end, c->is_half, random_normal(&random) / sqrt(c->k));
        for (size_t k = 0; k < b_count; k++)
            end = store_value(end, c->is_half, random_normal(&random));
        assert_hash(bytes, (size_t)(end - bytes), c->hash);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_follow_the_recurrence), cmocka_unit_test(known_draws),
        cmocka_unit_test(rmsnorm_inputs), cmocka_unit_test(gemm_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
