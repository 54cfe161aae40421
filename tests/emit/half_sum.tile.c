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
    int v_7 = int(v_6);
    long v_10 = long(ulong(v_6) * ulong(2l));
    int v_11 = int(uint(v_7) * uint(2));
    long v_15 = long(ulong(v_10) + ulong(1l));
    int v_16 = int(uint(v_11) + uint(1));
    long v_17 = long(ulong(row_5) * ulong(n_4));
    device half *v_18 = X_0 + v_17;
    bool v_19 = v_16 < n_3;
    bool v_20 = v_11 < n_3;
    half2 v_22;
    if (v_19) {
        device half *v_23 = v_18 + v_10;
        half2 v_24 = half2(*(device packed_half2 *)v_23);
        v_22 = v_24;
    } else {
        device half *v_25 = v_18 + v_10;
        half v_26 = v_20 ? *v_25 : half(0.0f);
        device half *v_27 = v_18 + v_15;
        half v_28 = v_19 ? *v_27 : half(0.0f);
        half2 v_29 = half2(v_26, v_28);
        v_22 = v_29;
    }
    float2 x_30 = float2(v_22);
    device float *v_31 = Out_1 + row_5;
    float2 v_32 = x_30 * x_30;
    float v_33 = v_32.x;
    float v_34 = v_32.y;
    float v_35 = v_33 + v_34;
    float v_36 = simd_sum(v_35);
    bool v_37 = v_7 == 0;
    if (v_37)
        *v_31 = v_36;
}
