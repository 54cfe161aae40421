// args: --stage cuda -D BLOCK=64
// As half_sum, in CUDA C++.
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
static constexpr bool in_words = true;
#pragma nv_diag_suppress 177
typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

template <typename T, typename F> static __device__ __forceinline__ T as_type(F x)
{
    static_assert(sizeof(T) == sizeof(F), "the same size");
    return __builtin_bit_cast(T, x);
}

template <typename T, int N> struct packed {
    T e[N];
    __device__ __forceinline__ T get(int i) const { return e[i]; }
    __device__ __forceinline__ static packed load(const void *p) { return *(const packed *)p; }
    template <typename V> __device__ __forceinline__ static packed from(const V &v)
    {
        packed r;
#pragma unroll
        for (int i = 0; i < N; i++)
            r.e[i] = T(v.get(i));
        return r;
    }
    __device__ __forceinline__ void store_device(void *p) const { *(packed *)p = *this; }
    __device__ __forceinline__ void store_shared(void *p) const { *(packed *)p = *this; }
};

template <typename T, int N, bool narrow> struct cells {
    T e[N];
    __device__ __forceinline__ T get(int i) const { return e[i]; }
    __device__ __forceinline__ void set(const T *list)
    {
#pragma unroll
        for (int i = 0; i < N; i++)
            e[i] = list[i];
    }
};
template <typename T, int N> struct cells<T, N, true> {
    uint w[N * sizeof(T) / 4];
    __device__ __forceinline__ T get(int i) const
    {
        uint bits = w[i * sizeof(T) / 4] >> i * sizeof(T) % 4 * 8;
        return T(sizeof(T) == 1 ? bits & 0xffu : bits);
    }
    __device__ __forceinline__ void set(const T *list)
    {
#pragma unroll
        for (int i = 0; i < N; i++) {
            uint bits = (uint(list[i]) & (sizeof(T) == 1 ? 0xffu : 0xffffu)) << i * sizeof(T) % 4 * 8;
            w[i * sizeof(T) / 4] = i * sizeof(T) % 4 ? w[i * sizeof(T) / 4] | bits : bits;
        }
    }
};

template <int Bytes> struct words;
template <> struct words<16> { typedef uint4 type; };
template <> struct words<8> { typedef uint2 type; };
template <> struct words<4> { typedef uint type; };
template <> struct words<2> { typedef ushort type; };
template <> struct words<1> { typedef uchar type; };

template <typename T, int N>
struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec
    : cells<T, N, (in_words && sizeof(T) < 4 && sizeof(T) * N >= 4)> {
    vec() = default;
    __device__ __forceinline__ explicit vec(T x)
    {
        T list[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            list[i] = x;
        this->set(list);
    }
    template <typename... A> __device__ __forceinline__ vec(T a, T b, A... more)
    {
        const T list[N] = {a, b, T(more)...};
        this->set(list);
    }
    __device__ __forceinline__ static vec load(const void *p)
    {
        return __builtin_bit_cast(vec, *(const typename words<sizeof(vec)>::type *)p);
    }
    __device__ __forceinline__ void store_device(void *p) const
    {
        typedef typename words<sizeof(vec)>::type all;
        __stwb((all *)p, __builtin_bit_cast(all, *this));
    }
    __device__ __forceinline__ void store_shared(void *p) const
    {
        typedef typename words<sizeof(vec)>::type all;
        *(all *)p = __builtin_bit_cast(all, *this);
    }
    __device__ __forceinline__ static vec from(const vec &v) { return v; }
    template <typename V> __device__ __forceinline__ static vec from(const V &v)
    {
        T list[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            list[i] = T(v.get(i));
        vec r;
        r.set(list);
        return r;
    }
    template <typename V> __device__ __forceinline__ V to() const { return V::from(*this); }
};

static __device__ __forceinline__ float tilec_widen_half(ushort bits)
{
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits));
    return r;
}

template <typename T> static __device__ __forceinline__ T tilec_load_if(const void *p, bool mask, T other)
{
    typedef typename words<sizeof(T)>::type all;
    all r = __builtin_bit_cast(all, other);
    if constexpr (sizeof(T) == 16)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %5, 0; cvta.to.global.u64 g, %4;"
                     " @m ld.global.v4.u32 {%0, %1, %2, %3}, [g]; }"
                     : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w)
                     : "l"(p), "r"(uint(mask)) : "memory");
    else if constexpr (sizeof(T) == 8)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %3, 0; cvta.to.global.u64 g, %2;"
                     " @m ld.global.v2.u32 {%0, %1}, [g]; }"
                     : "+r"(r.x), "+r"(r.y) : "l"(p), "r"(uint(mask)) : "memory");
    else if constexpr (sizeof(T) == 4)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                     " @m ld.global.u32 %0, [g]; }"
                     : "+r"(r) : "l"(p), "r"(uint(mask)) : "memory");
    else {
        uint wide = r;
        if constexpr (sizeof(T) == 2)
            asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                         " @m ld.global.u16 %0, [g]; }"
                         : "+r"(wide) : "l"(p), "r"(uint(mask)) : "memory");
        else
            asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                         " @m ld.global.u8 %0, [g]; }"
                         : "+r"(wide) : "l"(p), "r"(uint(mask)) : "memory");
        r = all(wide);
    }
    return __builtin_bit_cast(T, r);
}

template <typename T> static __device__ __forceinline__ void tilec_store_if(void *p, T value, bool mask)
{
    typedef typename words<sizeof(T)>::type all;
    all r = __builtin_bit_cast(all, value);
    if constexpr (sizeof(T) == 16)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %5, 0; cvta.to.global.u64 g, %4;"
                     " @m st.global.v4.u32 [g], {%0, %1, %2, %3}; }"
                     :: "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), "l"(p), "r"(uint(mask))
                     : "memory");
    else if constexpr (sizeof(T) == 8)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %3, 0; cvta.to.global.u64 g, %2;"
                     " @m st.global.v2.u32 [g], {%0, %1}; }"
                     :: "r"(r.x), "r"(r.y), "l"(p), "r"(uint(mask)) : "memory");
    else if constexpr (sizeof(T) == 4)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                     " @m st.global.u32 [g], %0; }"
                     :: "r"(r), "l"(p), "r"(uint(mask)) : "memory");
    else if constexpr (sizeof(T) == 2)
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                     " @m st.global.u16 [g], %0; }"
                     :: "h"(r), "l"(p), "r"(uint(mask)) : "memory");
    else
        asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %2, 0; cvta.to.global.u64 g, %1;"
                     " @m st.global.u8 [g], %0; }"
                     :: "h"(ushort(r)), "l"(p), "r"(uint(mask)) : "memory");
}

static __device__ __forceinline__ float tilec_group_sum(float x)
{
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

extern "C" __global__ void __launch_bounds__(32, 1) half_sum_kernel(
    ushort *__restrict__ X_0,
    float *__restrict__ Out_1,
    int rows_2,
    int n_3)
{
    const uint3 program = blockIdx;
    const uint local = threadIdx.x;
    long n_4 = long(n_3);
    long row_5 = long(program.x);
    long v_6 = long(local);
    int v_7 = int(v_6);
    long v_10 = long(ulong(v_6) + ulong(32l));
    int v_11 = int(uint(v_7) + uint(32));
    long v_12 = long(ulong(row_5) * ulong(n_4));
    ushort *v_13 = X_0 + v_12;
    bool v_14 = v_7 < n_3;
    bool v_15 = v_11 < n_3;
    ushort *v_17 = v_13 + v_6;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    ushort v_18 = tilec_load_if<ushort>(v_17, v_14, ushort(0x0000u));
    ushort *v_19 = v_13 + v_10;
    ushort v_20 = tilec_load_if<ushort>(v_19, v_15, ushort(0x0000u));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    float x_21 = float(tilec_widen_half(v_18));
    float x_22 = float(tilec_widen_half(v_20));
    float *v_23 = Out_1 + row_5;
    float v_24 = __fmul_rn(x_21, x_21);
    float v_25 = __fmul_rn(x_22, x_22);
    float v_26 = v_24 + v_25;
    float v_27 = tilec_group_sum(v_26);
    bool v_29 = v_7 == 0;
    tilec_store_if(v_23, v_27, v_29);
}
