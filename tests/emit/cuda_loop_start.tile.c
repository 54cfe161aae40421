// args: --stage cuda
// NVIDIA's compiler is not shown where a loop of larger steps starts that may run only once: it would never end.
#include <tilec/kernel.h>
launch_grid(k, 1);
require(k, threads = 32);
kernel void k(float *X, int n)
{
    for (int i = minimum(n, 2); i < 3; i += 2)
        store(X + i, 1.0f);
    for (int i = n; i < 8; i++)
        store(X + i, 2.0f);
    for (int i = n; i < n + 8; i += 2)
        store(X + i, 2.0f);
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

static __device__ __forceinline__ long tilec_loop_start(long low)
{
    asm("" : "+l"(low));
    return low;
}

template <typename T> static __device__ __forceinline__ T tilec_lesser(T a, T b)
{
    if constexpr (sizeof(T) > 4)
        return a < b ? a : b;
    int r;
    asm("{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.b32 %0, %1, %2, p; }"
        : "=r"(r) : "r"(int(a)), "r"(int(b)));
    return T(r);
}

extern "C" __global__ void __launch_bounds__(32) k_kernel(
    float *X_0,
    int n_1)
{
    const uint local = threadIdx.x;
    long n_2 = long(n_1);
    long v_4 = tilec_lesser(n_2, 2l);
    long v_7 = long(local);
    int v_8 = int(v_7);
    bool v_9 = v_8 == 0;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    for (long i_10 = tilec_loop_start(v_4); i_10 < 3l; i_10 += 2l) {
        float *v_11 = X_0 + i_10;
        __syncthreads();
        if (v_9)
            *v_11 = 1.0f;
    }
    __syncthreads();
    for (long i_15 = n_2; i_15 < 8l; i_15 += 1l) {
        float *v_16 = X_0 + i_15;
        __syncthreads();
        if (v_9)
            *v_16 = 2.0f;
    }
    long v_18 = long(ulong(n_2) + ulong(8l));
    __syncthreads();
    for (long i_19 = n_2; i_19 < v_18; i_19 += 2l) {
        float *v_20 = X_0 + i_19;
        __syncthreads();
        if (v_9)
            *v_20 = 2.0f;
    }
}
