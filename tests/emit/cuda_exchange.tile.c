// args: --stage cuda
// Threads exchange values through Data, which is no restrict pointer for NVIDIA's compiler then: it
// would load before the barrier. Magnitudes are out of its sight, as it takes none to be negative.
#include <tilec/kernel.h>
launch_grid(shift, 1);
kernel void shift(const int *restrict X, int *restrict Data, int *restrict Out)
{
    int i = arange(0, 32);
    for (int n = 0; n < 4; n++)
        store(Data + 1 + i, load(Data + i));
    store(Out + i, abs(load(X + i)));
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

template <typename T> static __device__ __forceinline__ T tilec_magnitude(T a)
{
    ulong n = 0ul - ulong(a);
    asm("" : "+l"(n));
    return a < 0 ? T(n) : a;
}

extern "C" __global__ void __launch_bounds__(32) shift_kernel(
    int *__restrict__ X_0,
    int *Data_1,
    int *__restrict__ Out_2)
{
    const uint local = threadIdx.x;
    long v_3 = long(local);
    int *v_7 = Data_1 + 1l;
    int *v_8 = Data_1 + v_3;
    int *v_9 = v_7 + v_3;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    for (long n_10 = 0l; n_10 < 4l; n_10 += 1l) {
        __syncthreads();
        int v_11 = *v_8;
        __syncthreads();
        *v_9 = v_11;
    }
    int *v_12 = X_0 + v_3;
    int v_13 = *v_12;
    int v_14 = tilec_magnitude(v_13);
    int *v_15 = Out_2 + v_3;
    *v_15 = v_14;
}
