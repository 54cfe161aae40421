// args: -D BLOCK=64
// Vectors where addresses follow each other, a mask, a reduction over lanes and SIMD groups.
#include <tilec/kernel.h>
launch_grid(half_sum, rows);
kernel void half_sum(const half *restrict X, float *restrict Out, int rows, int n,
                     constexpr int BLOCK)
{
    int row = program_id(0), i = arange(0, BLOCK);
    float x = load(X + row * n + i, i < n);
    store(Out + row, sum(x * x));
}
---
#include <metal_stdlib>
using namespace metal;
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma clang fp contract(off)

[[max_total_threads_per_threadgroup(32)]]
kernel void half_sum(
    device half *X_0 [[buffer(0)]],
    device float *Out_1 [[buffer(1)]],
    constant int &rows_2 [[buffer(2)]],
    constant int &n_3 [[buffer(3)]],
    uint3 program [[threadgroup_position_in_grid]],
    uint local [[thread_index_in_threadgroup]])
{
    long n_4 = long(n_3);
    long row_5 = long(program.x);
    long v_6 = long(local);
    long v_8 = long(ulong(v_6) * ulong(2l));
    long v_11 = long(ulong(v_8) + ulong(1l));
    long v_12 = long(ulong(row_5) * ulong(n_4));
    device half *v_13 = X_0 + v_12;
    bool v_14 = v_11 < n_4;
    bool v_15 = v_8 < n_4;
    half2 v_17;
    if (v_14) {
        device half *v_18 = v_13 + v_8;
        half2 v_19 = half2(*(device packed_half2 *)v_18);
        v_17 = v_19;
    } else {
        device half *v_20 = v_13 + v_8;
        half v_21 = v_15 ? *v_20 : half(0.0f);
        device half *v_22 = v_13 + v_11;
        half v_23 = v_14 ? *v_22 : half(0.0f);
        half2 v_24 = half2(v_21, v_23);
        v_17 = v_24;
    }
    float2 x_25 = float2(v_17);
    device float *v_26 = Out_1 + row_5;
    float2 v_27 = x_25 * x_25;
    float v_28 = v_27.x;
    float v_29 = v_27.y;
    float v_30 = v_28 + v_29;
    float v_31 = simd_sum(v_30);
    bool v_32 = v_6 == 0l;
    if (v_32)
        *v_26 = v_31;
}
