// args: -D BLOCK=32
// Tables stand in front of the kernel, each once; one with an infinity as bits.
#include <tilec/kernel.h>
static const float t[4] = {-1.0f, 0.5f, -0.0f, 3};
static const float special[2] = {INFINITY, 1};
launch_grid(k, cdiv(n, BLOCK));
kernel void k(const uint8_t *restrict X, float *restrict Out, int n, constexpr int BLOCK)
{
    static const float same[] = {-1.0f, 0.5f, -0.0f, 3};
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    uint8_t x = load(X + i, i < n);
    store(Out + i, t[x & 3] + same[x >> 6] * special[x & 1], i < n);
}
---
#include <metal_stdlib>
using namespace metal;
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma clang fp contract(off)

constant float tilec_table0_t[4] = {
    -1.0f, 0.5f, -0.0f, 3.0f
};

constant uint tilec_table1_special[2] = {
    2139095040u, 1065353216u
};

[[max_total_threads_per_threadgroup(32)]]
kernel void k(
    device uchar *X_0 [[buffer(0)]],
    device float *Out_1 [[buffer(1)]],
    constant int &n_2 [[buffer(2)]],
    uint3 program [[threadgroup_position_in_grid]],
    uint local [[thread_index_in_threadgroup]])
{
    long n_3 = long(n_2);
    long v_4 = long(program.x);
    long v_6 = long(ulong(v_4) * ulong(32l));
    long v_7 = long(local);
    long i_8 = long(ulong(v_6) + ulong(v_7));
    bool v_9 = i_8 < n_3;
    device uchar *v_11 = X_0 + i_8;
    uchar v_12 = v_9 ? *v_11 : uchar(0u);
    int v_13 = int(v_12);
    int v_15 = int(v_13 & 3);
    float v_16 = uint(v_15) < 4u ? tilec_table0_t[uint(v_15)] : 0.0f;
    int v_18 = int(v_13 >> (uint(6) & 31u));
    float v_19 = uint(v_18) < 4u ? tilec_table0_t[uint(v_18)] : 0.0f;
    int v_21 = int(v_13 & 1);
    float v_22 = uint(v_21) < 2u ? as_type<float>(tilec_table1_special[uint(v_21)]) : 0.0f;
    float v_23 = fma(v_19, v_22, v_16);
    device float *v_24 = Out_1 + i_8;
    if (v_9)
        *v_24 = v_23;
}
