#ifndef TILEC_TESTS_TILES_MEMORY_H
#define TILEC_TESTS_TILES_MEMORY_H
/* The parameters of random tile programs (../random_tiles.h), and what the arrays hold. */
#include "interp/interp.h"

#include <string.h>

enum { SIZE = 1 << 15 };

enum tiles_parameter {
    TILES_F,
    TILES_H,
    TILES_B,
    TILES_S,
    TILES_W,
    TILES_IO,
    TILES_OI,
    TILES_OB,
    TILES_OH,
    TILES_OW,
    TILES_AT, /* what elements collide in; only atomic operations touch it */
    TILES_N,
    TILES_M,
    TILES_STEP,
    PARAMETERS,
};

#define ARRAY(text, element) .name = text, .type = {.elem = element, .pointer = true}

static const struct ir_parameter parameters[PARAMETERS] = {
    [TILES_F] = {ARRAY("F", IR_F32), .is_const = true, .is_restrict = true},
    [TILES_H] = {ARRAY("H", IR_F16), .is_const = true},
    [TILES_B] = {ARRAY("B", IR_U8), .is_const = true},
    [TILES_S] = {ARRAY("S", IR_I16), .is_const = true},
    [TILES_W] = {ARRAY("W", IR_I64), .is_const = true},
    [TILES_IO] = {ARRAY("IO", IR_F32)},
    [TILES_OI] = {ARRAY("OI", IR_I32)},
    [TILES_OB] = {ARRAY("OB", IR_U8)},
    [TILES_OH] = {ARRAY("OH", IR_F16)},
    [TILES_OW] = {ARRAY("OW", IR_I64)},
    [TILES_AT] = {ARRAY("AT", IR_I32)},
    [TILES_N] = {.name = "n", .type = {.elem = IR_I64}},
    [TILES_M] = {.name = "m", .type = {.elem = IR_I64}},
    [TILES_STEP] = {.name = "step", .type = {.elem = IR_I64}},
};

#undef ARRAY

struct memory {
    float f[SIZE], io[SIZE];
    uint16_t h[SIZE], oh[SIZE];
    int16_t s[SIZE];
    uint8_t b[SIZE], ob[SIZE];
    int64_t w[SIZE], ow[SIZE];
    int32_t oi[SIZE], at[SIZE];
};

static void *memory_array(struct memory *m, int parameter)
{
    void *const arrays[PARAMETERS] = {
        [TILES_F] = m->f,   [TILES_H] = m->h,   [TILES_B] = m->b,   [TILES_S] = m->s,
        [TILES_W] = m->w,   [TILES_IO] = m->io, [TILES_OI] = m->oi, [TILES_OB] = m->ob,
        [TILES_OH] = m->oh, [TILES_OW] = m->ow, [TILES_AT] = m->at,
    };
    return arrays[parameter];
}

static inline size_t memory_bytes(int parameter)
{
    return SIZE * ir_elem_bytes((enum ir_elem)parameters[parameter].type.elem);
}

/* NULL, or the name of an array that is not as wanted; element: the first such. */
static inline const char *memory_difference(struct memory *is, struct memory *wanted, int *element)
{
    for (int i = 0; i < PARAMETERS; i++) {
        if (!parameters[i].type.pointer || parameters[i].is_const)
            continue;
        size_t bytes = ir_elem_bytes((enum ir_elem)parameters[i].type.elem);
        const unsigned char *a = memory_array(is, i), *b = memory_array(wanted, i);
        for (int k = 0; k < SIZE; k++) {
            if (memcmp(a + (size_t)k * bytes, b + (size_t)k * bytes, bytes) != 0) {
                *element = k;
                return parameters[i].name;
            }
        }
    }
    return NULL;
}

#endif
