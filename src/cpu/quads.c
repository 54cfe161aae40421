/*
 * Groups of four elements of 32 bits (pixels with alpha, quaternions) with AVX2, as matrices that
 * are turned:
 *
 *     pixels 0 | 4   r g b a | r g b a             r r r r | r r r r
 *     pixels 1 | 5   r g b a | r g b a     <->     g g g g | g g g g
 *     pixels 2 | 6   r g b a | r g b a             b b b b | b b b b
 *     pixels 3 | 7   r g b a | r g b a             a a a a | a a a a
 *
 * One vector has pixels of a group of 16 bytes each, in the order in which two steps of unpacking
 * within 16 bytes make the channels; nothing crosses from one half of a register to the other but
 * as it is loaded or stored. LLVM makes each channel for itself instead, by eight permutations of
 * whole registers. AVX-512 has shuffles of two registers in any order.
 */
#include "cpu/quads.h"

enum { STEP = 4 };

bool cpu_turns_quads(const struct cpu_emit *e, int64_t step, int64_t bytes)
{
    const struct cpu_features *features = &e->level->features;
    int lanes = e->body.lanes;
    return features->avx2 && !features->avx512 && step == STEP && bytes == 4 && lanes % STEP == 0 &&
           lanes <= 2 * STEP;
}

/* The lower (half 0) or upper two of each four elements of a and b, in turn. */
static LLVMValueRef unpack(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int half)
{
    int lanes = cpu_width_of(a);
    LLVMValueRef choose[2 * STEP];
    for (int i = 0; i < lanes; i++) {
        int place = i / STEP * STEP + 2 * half + i % STEP / 2 + i % 2 * lanes;
        choose[i] = LLVMConstInt(e->i32, (unsigned long long)place, false);
    }
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(choose, (unsigned)lanes), "");
}

static LLVMValueRef part(struct cpu_emit *e, LLVMValueRef a, LLVMValueRef b, int first, int count)
{
    LLVMValueRef choose[2 * STEP];
    for (int i = 0; i < count; i++)
        choose[i] = LLVMConstInt(e->i32, (unsigned long long)(first + i), false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(choose, (unsigned)count), "");
}

static LLVMValueRef place_of_pixel(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                                   int pixel)
{
    LLVMValueRef offset = cpu_i64(e, pixel * STEP);
    return LLVMBuildGEP2(e->builder, unit, pointer, &offset, 1, "");
}

static LLVMValueRef load_pixel(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                               int pixel)
{
    LLVMValueRef from = place_of_pixel(e, unit, pointer, pixel);
    LLVMValueRef load = LLVMBuildLoad2(e->builder, cpu_vector(unit, STEP), from, "");
    cpu_set_align(load, 4);
    return load;
}

LLVMValueRef cpu_load_quads(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                            int64_t place)
{
    LLVMValueRef pixels[STEP];
    for (int i = 0; i < STEP; i++) {
        pixels[i] = load_pixel(e, unit, pointer, i);
        if (e->body.lanes > STEP) {
            LLVMValueRef upper = load_pixel(e, unit, pointer, i + STEP);
            pixels[i] = part(e, pixels[i], upper, 0, 2 * STEP);
        }
    }
    LLVMValueRef even = unpack(e, pixels[0], pixels[2], (int)place / 2);
    LLVMValueRef odd = unpack(e, pixels[1], pixels[3], (int)place / 2);
    return unpack(e, even, odd, (int)place % 2);
}

void cpu_store_quads(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer, LLVMValueRef *v)
{
    for (int half = 0; half < 2; half++) {
        LLVMValueRef even = unpack(e, v[0], v[2], half), odd = unpack(e, v[1], v[3], half);
        for (int i = 0; i < 2; i++) {
            LLVMValueRef pixels = unpack(e, even, odd, i);
            for (int first = 0; first < e->body.lanes; first += STEP) {
                LLVMValueRef pixel =
                    part(e, pixels, LLVMGetPoison(LLVMTypeOf(pixels)), first, STEP);
                LLVMValueRef to = place_of_pixel(e, unit, pointer, 2 * half + i + first);
                cpu_set_align(LLVMBuildStore(e->builder, pixel, to), 4);
            }
        }
    }
}
