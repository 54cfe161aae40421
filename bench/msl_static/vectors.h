// -*- C++ -*-
// Vectors of metal_stdlib as LLVM's own, so that an operation on a vector counts once. Members and
// elements are views of the vector; the optimiser makes element accesses of them.
#ifndef MSL_STATIC_VECTORS_H
#define MSL_STATIC_VECTORS_H

namespace metal {

template <typename T, int N> struct native {
    typedef T type __attribute__((ext_vector_type(N)));
};
template <typename T, int N> using native_t = typename native<T, N>::type;

template <typename T, int N> struct vec;

// In memory: aligned as an element is.
template <typename T, int N> struct packed_vec {
    typedef native_t<T, N> unaligned __attribute__((aligned(sizeof(T))));
    unaligned all;
};

#define MSL_VECTOR(N, MEMBERS, PARAMETERS, ...)                                                    \
    template <typename T> struct vec<T, N> {                                                       \
        union {                                                                                    \
            native_t<T, N> all;                                                                    \
            struct {                                                                               \
                T MEMBERS;                                                                         \
            };                                                                                     \
        };                                                                                         \
        vec() = default;                                                                           \
        vec(T same) : all(same)                                                                    \
        {                                                                                          \
        }                                                                                          \
        vec(native_t<T, N> value) : all(value)                                                     \
        {                                                                                          \
        }                                                                                          \
        vec PARAMETERS : all{__VA_ARGS__}                                                          \
        {                                                                                          \
        }                                                                                          \
        template <typename U>                                                                      \
        explicit vec(const vec<U, N> &other)                                                       \
            : all(__builtin_convertvector(other.all, native_t<T, N>))                              \
        {                                                                                          \
        }                                                                                          \
        vec(const packed_vec<T, N> &other) : all(other.all)                                        \
        {                                                                                          \
        }                                                                                          \
        operator packed_vec<T, N>() const                                                          \
        {                                                                                          \
            return packed_vec<T, N>{all};                                                          \
        }                                                                                          \
        T &operator[](int i)                                                                       \
        {                                                                                          \
            return (&x)[i];                                                                        \
        }                                                                                          \
        const T &operator[](int i) const                                                           \
        {                                                                                          \
            return (&x)[i];                                                                        \
        }                                                                                          \
    };
#define MSL_LIST(...) __VA_ARGS__
MSL_VECTOR(2, MSL_LIST(x, y), (T a, T b), a, b)
MSL_VECTOR(3, MSL_LIST(x, y, z), (T a, T b, T c), a, b, c)
MSL_VECTOR(4, MSL_LIST(x, y, z, w), (T a, T b, T c, T d), a, b, c, d)
#undef MSL_VECTOR

#define MSL_OPERATOR(op)                                                                           \
    template <typename T, int N> vec<T, N> operator op(vec<T, N> a, vec<T, N> b)                   \
    {                                                                                              \
        return vec<T, N>(a.all op b.all);                                                          \
    }                                                                                              \
    template <typename T, int N> vec<T, N> operator op(vec<T, N> a, same_t<T> b)                   \
    {                                                                                              \
        return a op vec<T, N>(b);                                                                  \
    }                                                                                              \
    template <typename T, int N> vec<T, N> operator op(same_t<T> a, vec<T, N> b)                   \
    {                                                                                              \
        return vec<T, N>(a) op b;                                                                  \
    }
MSL_OPERATOR(+)
MSL_OPERATOR(-)
MSL_OPERATOR(*)
MSL_OPERATOR(/)
MSL_OPERATOR(&)
MSL_OPERATOR(|)
MSL_OPERATOR(^)
#undef MSL_OPERATOR

// What metal_stdlib itself needs of vectors of bools.
template <int N> vec<bool, N> operator!(vec<bool, N> a)
{
    for (int i = 0; i < N; i++)
        a[i] = !a[i];
    return a;
}

} // namespace metal

#endif
