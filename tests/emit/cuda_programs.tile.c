// args: --stage cuda --arch sm_90a -D BLOCK=1024 --aligned all --require programs_per_block=3
// A block of three programs: each has a third of the threads, of the threadgroup arrays and a barrier.
#include <tilec/kernel.h>
launch_grid(apart, rows);
kernel void apart(const float *restrict X, float *restrict Out, int rows, constexpr int BLOCK)
{
    int i = program_id(0) * BLOCK + arange(0, BLOCK);
    float x = load(X + i);
    store(Out + i, x - sum(x) * num_programs(0));
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

extern "C" __global__ void __launch_bounds__(192, 1) apart_kernel(
    float *__restrict__ X_0,
    float *__restrict__ Out_1,
    int rows_2,
    uint grid_x_3)
{
    const uint part = threadIdx.x / 64u;
    if (blockIdx.x * 3u + part >= grid_x_3)
        return;
    const uint3 program = make_uint3(blockIdx.x * 3u + part, blockIdx.y, blockIdx.z);
    const uint local = threadIdx.x % 64u;
    long v_4 = long(grid_x_3);
    alignas(16) __shared__ float reduce_0_5_of[3][16];
    float *reduce_0_5 = reduce_0_5_of[part];
    long v_6 = long(program.x);
    long v_8 = long(ulong(v_6) * ulong(1024l));
    long v_9 = long(local);
    int v_10 = int(v_9);
    long v_12 = long(ulong(v_9) * ulong(4l));
    long v_15 = long(ulong(v_12) + ulong(256l));
    long v_17 = long(ulong(v_12) + ulong(512l));
    long v_19 = long(ulong(v_12) + ulong(768l));
    long v_20 = long(ulong(v_8) + ulong(v_12));
    long v_21 = long(ulong(v_8) + ulong(v_15));
    long v_22 = long(ulong(v_8) + ulong(v_17));
    long v_23 = long(ulong(v_8) + ulong(v_19));
    float *v_24 = X_0 + v_20;
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    vec<float, 4> x_25 = vec<float, 4>::from(vec<float, 4>::load(v_24));
    float *v_26 = X_0 + v_21;
    vec<float, 4> x_27 = vec<float, 4>::from(vec<float, 4>::load(v_26));
    float *v_28 = X_0 + v_22;
    vec<float, 4> x_29 = vec<float, 4>::from(vec<float, 4>::load(v_28));
    float *v_30 = X_0 + v_23;
    vec<float, 4> x_31 = vec<float, 4>::from(vec<float, 4>::load(v_30));
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
    vec<float, 4> v_32 = vec<float, 4>(x_25.get(0) + x_29.get(0), x_25.get(1) + x_29.get(1), x_25.get(2) + x_29.get(2), x_25.get(3) + x_29.get(3));
    vec<float, 4> v_33 = vec<float, 4>(x_27.get(0) + x_31.get(0), x_27.get(1) + x_31.get(1), x_27.get(2) + x_31.get(2), x_27.get(3) + x_31.get(3));
    vec<float, 4> v_34 = vec<float, 4>(v_32.get(0) + v_33.get(0), v_32.get(1) + v_33.get(1), v_32.get(2) + v_33.get(2), v_32.get(3) + v_33.get(3));
    float v_35 = v_34.get(0);
    float v_36 = v_34.get(1);
    float v_37 = v_34.get(2);
    float v_38 = v_34.get(3);
    float v_39 = v_35 + v_37;
    float v_40 = v_36 + v_38;
    float v_41 = v_39 + v_40;
    float v_42 = float(__shfl_xor_sync(0xffffffffu, v_41, 8));
    float v_43 = v_41 + v_42;
    float v_44 = float(__shfl_xor_sync(0xffffffffu, v_43, 16));
    float v_45 = v_43 + v_44;
    int v_47 = int(v_10 & 24);
    bool v_48 = v_47 == 0;
    int v_50 = int(v_10 & 7);
    int v_52 = int(v_10 >> (uint(5) & 31u));
    int v_55 = int(uint(v_52) * uint(8));
    int v_56 = int(uint(v_50) + uint(v_55));
    long v_57 = long(v_56);
    float *v_58 = reduce_0_5 + v_57;
    if (v_48)
        *v_58 = v_45;
    asm volatile("bar.sync %0, 64;" :: "r"(part) : "memory");
    vec<float, 4> v_59 = vec<float, 4>::from(vec<float, 4>::load(reduce_0_5));
    float v_60 = v_59.get(0);
    float v_61 = v_59.get(1);
    float v_62 = v_59.get(2);
    float v_63 = v_59.get(3);
    float *v_64 = reduce_0_5 + 4l;
    vec<float, 4> v_65 = vec<float, 4>::from(vec<float, 4>::load(v_64));
    float v_66 = v_65.get(0);
    float v_67 = v_65.get(1);
    float v_68 = v_65.get(2);
    float v_69 = v_65.get(3);
    float *v_70 = reduce_0_5 + 8l;
    vec<float, 4> v_71 = vec<float, 4>::from(vec<float, 4>::load(v_70));
    float v_72 = v_71.get(0);
    float v_73 = v_71.get(1);
    float v_74 = v_71.get(2);
    float v_75 = v_71.get(3);
    float *v_77 = reduce_0_5 + 12l;
    vec<float, 4> v_78 = vec<float, 4>::from(vec<float, 4>::load(v_77));
    float v_79 = v_78.get(0);
    float v_80 = v_78.get(1);
    float v_81 = v_78.get(2);
    float v_82 = v_78.get(3);
    float v_83 = v_60 + v_61;
    float v_84 = v_62 + v_63;
    float v_85 = v_66 + v_67;
    float v_86 = v_68 + v_69;
    float v_87 = v_72 + v_73;
    float v_88 = v_74 + v_75;
    float v_89 = v_79 + v_80;
    float v_90 = v_81 + v_82;
    float v_91 = v_83 + v_84;
    float v_92 = v_85 + v_86;
    float v_93 = v_87 + v_88;
    float v_94 = v_89 + v_90;
    float v_95 = v_91 + v_92;
    float v_96 = v_93 + v_94;
    float v_97 = v_95 + v_96;
    float v_98 = float(v_4);
    float v_99 = -(v_97);
    vec<float, 4> v_100 = vec<float, 4>(v_99);
    vec<float, 4> v_101 = vec<float, 4>(v_98);
    vec<float, 4> v_102 = vec<float, 4>(__fmaf_rn(v_100.get(0), v_101.get(0), x_25.get(0)), __fmaf_rn(v_100.get(1), v_101.get(1), x_25.get(1)), __fmaf_rn(v_100.get(2), v_101.get(2), x_25.get(2)), __fmaf_rn(v_100.get(3), v_101.get(3), x_25.get(3)));
    vec<float, 4> v_103 = vec<float, 4>(__fmaf_rn(v_100.get(0), v_101.get(0), x_27.get(0)), __fmaf_rn(v_100.get(1), v_101.get(1), x_27.get(1)), __fmaf_rn(v_100.get(2), v_101.get(2), x_27.get(2)), __fmaf_rn(v_100.get(3), v_101.get(3), x_27.get(3)));
    vec<float, 4> v_104 = vec<float, 4>(__fmaf_rn(v_100.get(0), v_101.get(0), x_29.get(0)), __fmaf_rn(v_100.get(1), v_101.get(1), x_29.get(1)), __fmaf_rn(v_100.get(2), v_101.get(2), x_29.get(2)), __fmaf_rn(v_100.get(3), v_101.get(3), x_29.get(3)));
    vec<float, 4> v_105 = vec<float, 4>(__fmaf_rn(v_100.get(0), v_101.get(0), x_31.get(0)), __fmaf_rn(v_100.get(1), v_101.get(1), x_31.get(1)), __fmaf_rn(v_100.get(2), v_101.get(2), x_31.get(2)), __fmaf_rn(v_100.get(3), v_101.get(3), x_31.get(3)));
    float *v_106 = Out_1 + v_20;
    v_102.to<vec<float, 4>>().store_device(v_106);
    float *v_107 = Out_1 + v_21;
    v_103.to<vec<float, 4>>().store_device(v_107);
    float *v_108 = Out_1 + v_22;
    v_104.to<vec<float, 4>>().store_device(v_108);
    float *v_109 = Out_1 + v_23;
    v_105.to<vec<float, 4>>().store_device(v_109);
}
