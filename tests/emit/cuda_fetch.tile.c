// args: --stage cuda --arch sm_90a -D BLOCK=256 --aligned all --require fetch_ahead=512
// What the program 512 places further on loads of X is fetched, where there is such a program; W is the same for all.
#include <tilec/kernel.h>
launch_grid(ahead, rows);
kernel void ahead(const float *restrict X, const float *restrict W, float *restrict Out, int rows, constexpr int BLOCK)
{
    int col = arange(0, BLOCK), i = program_id(0) * BLOCK + col;
    float x = load(X + i);
    store(Out + i, x - sum(x) * load(W + col));
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

template <int N> static __device__ __forceinline__ void tilec_fetch(const void *p, bool mask = true)
{
    asm volatile("{ .reg .pred m; .reg .u64 g; setp.ne.u32 m, %1, 0; cvta.to.global.u64 g, %0;"
                 " @m prefetch.global.L2 [g]; }"
                 :: "l"(p), "r"(uint(mask && (ulong(p) & 127ul) < N)));
}

static __device__ __forceinline__ float tilec_group_sum(float x)
{
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

extern "C" __global__ void __launch_bounds__(32, 1) ahead_kernel(
    float *__restrict__ X_0,
    float *__restrict__ W_1,
    float *__restrict__ Out_2,
    int rows_3)
{
    const uint3 program = blockIdx;
    const dim3 programs = gridDim;
    const uint local = threadIdx.x;
    long v_4 = long(local);
    long v_6 = long(ulong(v_4) * ulong(4l));
    long v_8 = long(ulong(v_6) + ulong(128l));
    long v_9 = long(program.x);
    long v_11 = long(ulong(v_9) * ulong(256l));
    long v_12 = long(ulong(v_11) + ulong(v_6));
    long v_13 = long(ulong(v_11) + ulong(v_8));
    float *v_14 = X_0 + v_12;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    vec<float, 4> x_15 = vec<float, 4>::from(vec<float, 4>::load(v_14));
    float *v_16 = X_0 + v_13;
    vec<float, 4> x_17 = vec<float, 4>::from(vec<float, 4>::load(v_16));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    long v_18 = long(program.x);
    long v_19 = long(programs.x);
    long v_21 = long(ulong(v_18) + ulong(512l));
    bool v_22 = v_21 < v_19;
    if (v_22) {
        long v_23 = long(ulong(v_21) * ulong(256l));
        long v_24 = long(ulong(v_23) + ulong(v_6));
        float *v_25 = X_0 + v_24;
        tilec_fetch<16>(v_25);
        long v_26 = long(ulong(v_23) + ulong(v_8));
        float *v_27 = X_0 + v_26;
        tilec_fetch<16>(v_27);
    }
    vec<float, 4> v_28 = vec<float, 4>(x_15.get(0) + x_17.get(0), x_15.get(1) + x_17.get(1), x_15.get(2) + x_17.get(2), x_15.get(3) + x_17.get(3));
    float v_29 = v_28.get(0);
    float v_30 = v_28.get(1);
    float v_31 = v_28.get(2);
    float v_32 = v_28.get(3);
    float v_33 = v_29 + v_31;
    float v_34 = v_30 + v_32;
    float v_35 = v_33 + v_34;
    float *v_36 = W_1 + v_6;
    vec<float, 4> v_37 = vec<float, 4>::from(vec<float, 4>::load(v_36));
    float *v_38 = W_1 + v_8;
    vec<float, 4> v_39 = vec<float, 4>::from(vec<float, 4>::load(v_38));
    float v_40 = tilec_group_sum(v_35);
    float v_41 = -(v_40);
    vec<float, 4> v_42 = vec<float, 4>(v_41);
    vec<float, 4> v_43 = vec<float, 4>(__fmaf_rn(v_42.get(0), v_37.get(0), x_15.get(0)), __fmaf_rn(v_42.get(1), v_37.get(1), x_15.get(1)), __fmaf_rn(v_42.get(2), v_37.get(2), x_15.get(2)), __fmaf_rn(v_42.get(3), v_37.get(3), x_15.get(3)));
    vec<float, 4> v_44 = vec<float, 4>(__fmaf_rn(v_42.get(0), v_39.get(0), x_17.get(0)), __fmaf_rn(v_42.get(1), v_39.get(1), x_17.get(1)), __fmaf_rn(v_42.get(2), v_39.get(2), x_17.get(2)), __fmaf_rn(v_42.get(3), v_39.get(3), x_17.get(3)));
    float *v_45 = Out_2 + v_12;
    v_43.to<vec<float, 4>>().store_device(v_45);
    float *v_46 = Out_2 + v_13;
    v_44.to<vec<float, 4>>().store_device(v_46);
}
