// args: --stage cuda -D BLOCK=32
// Tables stand in front of the kernel, each once; one with an infinity as bits: CUDA.
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

static __device__ const float tilec_table0_t[4] = {
    -1.0f, 0.5f, -0.0f, 3.0f
};

static __device__ const uint tilec_table1_special[2] = {
    2139095040u, 1065353216u
};

extern "C" __global__ void __launch_bounds__(32) k_kernel(
    uchar *__restrict__ X_0,
    float *__restrict__ Out_1,
    int n_2)
{
    const uint3 program = blockIdx;
    const uint local = threadIdx.x;
    long n_3 = long(n_2);
    long v_4 = long(program.x);
    long v_6 = long(ulong(v_4) * ulong(32l));
    long v_7 = long(local);
    long i_8 = long(ulong(v_6) + ulong(v_7));
    bool v_9 = i_8 < n_3;
    uchar *v_11 = X_0 + i_8;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    uchar v_12 = tilec_load_if<uchar>(v_11, v_9, uchar(0u));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    int v_13 = int(v_12);
    int v_15 = int(v_13 & 3);
    float v_16 = uint(v_15) < 4u ? tilec_table0_t[uint(v_15)] : 0.0f;
    int v_18 = int(v_13 >> (uint(6) & 31u));
    float v_19 = uint(v_18) < 4u ? tilec_table0_t[uint(v_18)] : 0.0f;
    int v_21 = int(v_13 & 1);
    float v_22 = uint(v_21) < 2u ? as_type<float>(tilec_table1_special[uint(v_21)]) : 0.0f;
    float v_23 = __fmaf_rn(v_19, v_22, v_16);
    float *v_24 = Out_1 + i_8;
    tilec_store_if(v_24, v_23, v_9);
}
