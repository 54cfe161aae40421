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
    int a_7 = *X_0;
    device int *v_9 = X_0 + 1l;
    int c_10 = *v_9;
    long v_12 = long(a_7);
    long v_13 = long(c_10);
    long a_14 = v_12;
    long c_15 = v_13;
    for (long i_16 = 0l; i_16 < n_4; i_16 += 3l) {
        long v_20 = tilec_rem_signed(i_16, 5l);
        bool v_22 = v_20 == 2l;
        long c_23;
        if (v_22) {
            int v_24 = tilec_saturate(tilec_widen(b_3), -2147483648.0f, 2147483648.0f, int(-2147483648l), 2147483647);
            long v_25 = long(v_24);
            long c_26 = tilec_div_signed(v_25, n_4);
            c_23 = c_26;
        } else {
            c_23 = a_14;
        }
        long copy0 = c_15;
        a_14 = copy0;
        c_15 = c_23;
    }
    long a_27 = a_14;
    for (;;) {
        bool v_29 = a_27 < n_4;
        bool go29 = v_29;
        if (!go29)
            break;
        long v_32 = long(ulong(a_27) * ulong(2l));
        long a_33 = long(ulong(v_32) + ulong(1l));
        a_27 = a_33;
    }
    int v_34 = int(a_27);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    long v_35 = long(local);
    int v_36 = int(v_35);
    bool v_37 = v_36 == 0;
    if (v_37)
        *Out_1 = v_34;
    device int *v_38 = Out_1 + 1l;
    int v_39 = int(c_15);
    int v_40 = int(v_39 >> (uint(n_2) & 31u));
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    if (v_37)
        *v_38 = v_40;
    device int *v_42 = Out_1 + 2l;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    int v_43 = v_37 ? atomic_fetch_add_explicit((device atomic_int *)v_42, v_34, memory_order_relaxed) : 0;
}
