// A loop that carries two scalars which change places, a branch, and integer rules that C++ lacks.
#include <tilec/kernel.h>
launch_grid(loop, 1);
kernel void loop(const int *X, int *Out, int n, bfloat b)
{
    int a = X[0], c = X[1];
    for (int i = 0; i < n; i += 3) {
        int old = a;
        a = c;
        c = old;
        if (i % 5 == 2)
            c = cast(int, b) / n;
    }
    while (a < n)
        a = a * 2 + 1;
    store(Out, a);
    store(Out + 1, c >> n);
    atomic_add(Out + 2, a);
}
---
#include <metal_stdlib>
using namespace metal;
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#endif
#pragma clang fp contract(off)

template <typename T> static inline T tilec_div_signed(T a, T b)
{
    return b == 0 ? T(0) : b == -1 ? T(0ul - ulong(a)) : T(a / b);
}

template <typename T> static inline T tilec_rem_signed(T a, T b)
{
    return b == 0 ? a : b == -1 ? T(0) : T(a % b);
}

static inline float tilec_widen(ushort bits)
{
    return as_type<float>(uint(bits) << 16);
}

template <typename T>
static inline T tilec_saturate(float x, float low, float high, T least, T most)
{
    return isnan(x) ? T(0) : x <= low ? least : x >= high ? most : T(x);
}

[[max_total_threads_per_threadgroup(32)]]
kernel void loop(
    device int *X_0 [[buffer(0)]],
    device int *Out_1 [[buffer(1)]],
    constant int &n_2 [[buffer(2)]],
    constant ushort &b_3 [[buffer(3)]],
    uint local [[thread_index_in_threadgroup]])
{
    long n_4 = long(n_2);
    int a_6 = *X_0;
    device int *v_8 = X_0 + 1l;
    int c_9 = *v_8;
    long v_11 = long(a_6);
    long v_12 = long(c_9);
    long a_13 = v_11;
    long c_14 = v_12;
    for (long i_15 = 0l; i_15 < n_4; i_15 += 3l) {
        long v_19 = tilec_rem_signed(i_15, 5l);
        bool v_21 = v_19 == 2l;
        long c_22;
        if (v_21) {
            int v_23 = tilec_saturate(tilec_widen(b_3), -2147483648.0f, 2147483648.0f, int(-2147483648l), 2147483647);
            long v_24 = long(v_23);
            long c_25 = tilec_div_signed(v_24, n_4);
            c_22 = c_25;
        } else {
            c_22 = a_13;
        }
        long copy0 = c_14;
        a_13 = copy0;
        c_14 = c_22;
    }
    long a_26 = a_13;
    for (;;) {
        bool v_28 = a_26 < n_4;
        bool go28 = v_28;
        if (!go28)
            break;
        long v_31 = long(ulong(a_26) * ulong(2l));
        long a_32 = long(ulong(v_31) + ulong(1l));
        a_26 = a_32;
    }
    int v_33 = int(a_26);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    long v_34 = long(local);
    bool v_35 = v_34 == 0l;
    if (v_35)
        *Out_1 = v_33;
    device int *v_36 = Out_1 + 1l;
    int v_37 = int(c_14);
    int v_38 = int(v_37 >> (uint(n_2) & 31u));
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    if (v_35)
        *v_36 = v_38;
    device int *v_40 = Out_1 + 2l;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    int v_41 = v_35 ? atomic_fetch_add_explicit((device atomic_int *)v_40, v_33, memory_order_relaxed) : 0;
}
