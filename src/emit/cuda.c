/*
 * The dialect of CUDA C++ for sm_80 and later; see docs/cuda.md for what the text promises.
 *
 * The text includes nothing, so that NVRTC compiles it without the toolkit's headers: half and
 * bfloat are carried as their bits (ushort), converted by PTX instructions and computed in float,
 * where each sum, product, quotient and root rounds to the same value as in the narrow format.
 */
#include "emit/internal.h"

enum {
    B = EMIT_BOOL,
    S = EMIT_SIGNED,
    U = EMIT_UNSIGNED,
    F = EMIT_F32,
    H = EMIT_F16,
    W = EMIT_BF16,
    D = EMIT_F64,
    ANY = B | S | U | F | H | W | D,
};

static const struct emit_spelling spellings[] = {
#define SPELL(code, kinds, vectors, text) {code, kinds, vectors, text},
#include "emit/cuda_ops.def"
#undef SPELL
};

static const struct emit_helper helpers[] = {
#define HELPER(name, text) {#name, text},
#include "emit/cuda_helpers.def"
#undef HELPER
};

static const struct emit_position positions[] = {
    {IR_OP_PROGRAM_ID, "const uint3 program = blockIdx;"},
    {IR_OP_NUM_PROGRAMS, "const dim3 programs = gridDim;"},
    {GPU_OP_THREAD_INDEX, "const uint local = threadIdx.x;"},
    {GPU_OP_LANE_INDEX, "const uint lane = threadIdx.x & 31u;"},
    {GPU_OP_GROUP_INDEX, "const uint group = threadIdx.x >> 5;"},
};

/* A cluster's blocks lie side by side along x. */
static const struct emit_position cluster_positions[] = {
    {IR_OP_PROGRAM_ID,
     "const uint3 program = make_uint3(blockIdx.x / $bu, blockIdx.y, blockIdx.z);"},
    {IR_OP_NUM_PROGRAMS, "const dim3 programs(gridDim.x / $bu, gridDim.y, gridDim.z);"},
    {GPU_OP_THREAD_INDEX, "const uint local = blockIdx.x % $bu * $du + threadIdx.x;"},
    {GPU_OP_LANE_INDEX, "const uint lane = threadIdx.x & 31u;"},
    {GPU_OP_GROUP_INDEX, "const uint group = (blockIdx.x % $bu * $du + threadIdx.x) >> 5;"},
};

/* A block's programs lie side by side along x, each with a part of its threads. */
static const struct emit_position part_positions[] = {
    {IR_OP_PROGRAM_ID,
     "const uint3 program = make_uint3(blockIdx.x * $ku + part, blockIdx.y, blockIdx.z);"},
    {IR_OP_NUM_PROGRAMS, "const dim3 programs = gridDim;"}, /* along y and z */
    {GPU_OP_THREAD_INDEX, "const uint local = threadIdx.x % $du;"},
    {GPU_OP_LANE_INDEX, "const uint lane = threadIdx.x & 31u;"},
    {GPU_OP_GROUP_INDEX, "const uint group = threadIdx.x % $du >> 5;"},
};
static const char part_start[] = "    const uint part = threadIdx.x / $du;\n"
                                 "    if (blockIdx.x * $ku + part >= $p)\n"
                                 "        return;\n";

static const char *const components[] = {
    ".get(0)", ".get(1)", ".get(2)",  ".get(3)",  ".get(4)",  ".get(5)",  ".get(6)",  ".get(7)",
    ".get(8)", ".get(9)", ".get(10)", ".get(11)", ".get(12)", ".get(13)", ".get(14)", ".get(15)"};

static const char *const reserved[] = {NULL};

/* Vectors of at most 16 bytes are read and written at once where they are aligned to their size:
 * as CUDA's own vectors of whole words, because copies of other structs are taken to pieces, and
 * stored by an intrinsic, because even stores of those are. Elements of less than a word lie in words
 * (in_words), because where ways join, elements of their own would be put together anew: a fifth of the
 * instructions of softmax in half. Not so in products, whose shipped kernels then spilled on sm_80. */
static const char of_products[] = "static constexpr bool in_words = false;\n";
static const char of_others[] = "static constexpr bool in_words = true;\n";
static const char head[] =
    "#pragma nv_diag_suppress 177\n" /* variables that nothing uses, such as an atomic's old value */
    "typedef signed char schar;\n"
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "\n"
    "template <typename T, typename F> static __device__ __forceinline__ T as_type(F x)\n"
    "{\n"
    "    static_assert(sizeof(T) == sizeof(F), \"the same size\");\n"
    "    return __builtin_bit_cast(T, x);\n"
    "}\n"
    "\n"
    "template <typename T, int N> struct packed {\n"
    "    T e[N];\n"
    "    __device__ __forceinline__ T get(int i) const { return e[i]; }\n"
    "    __device__ __forceinline__ static packed load(const void *p) { return *(const packed *)p; }\n"
    "    template <typename V> __device__ __forceinline__ static packed from(const V &v)\n"
    "    {\n"
    "        packed r;\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < N; i++)\n"
    "            r.e[i] = T(v.get(i));\n"
    "        return r;\n"
    "    }\n"
    "    __device__ __forceinline__ void store_device(void *p) const { *(packed *)p = *this; }\n"
    "    __device__ __forceinline__ void store_shared(void *p) const { *(packed *)p = *this; }\n"
    "};\n"
    "\n"
    "template <typename T, int N, bool narrow> struct cells {\n"
    "    T e[N];\n"
    "    __device__ __forceinline__ T get(int i) const { return e[i]; }\n"
    "    __device__ __forceinline__ void set(const T *list)\n"
    "    {\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < N; i++)\n"
    "            e[i] = list[i];\n"
    "    }\n"
    "};\n"
    "template <typename T, int N> struct cells<T, N, true> {\n"
    "    uint w[N * sizeof(T) / 4];\n"
    "    __device__ __forceinline__ T get(int i) const\n"
    "    {\n"
    "        uint bits = w[i * sizeof(T) / 4] >> i * sizeof(T) % 4 * 8;\n"
    "        return T(sizeof(T) == 1 ? bits & 0xffu : bits);\n"
    "    }\n"
    "    __device__ __forceinline__ void set(const T *list)\n"
    "    {\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < N; i++) {\n"
    "            uint bits = (uint(list[i]) & (sizeof(T) == 1 ? 0xffu : 0xffffu)) << i * sizeof(T) % 4 * 8;\n"
    "            w[i * sizeof(T) / 4] = i * sizeof(T) % 4 ? w[i * sizeof(T) / 4] | bits : bits;\n"
    "        }\n"
    "    }\n"
    "};\n"
    "\n"
    "template <int Bytes> struct words;\n"
    "template <> struct words<16> { typedef uint4 type; };\n"
    "template <> struct words<8> { typedef uint2 type; };\n"
    "template <> struct words<4> { typedef uint type; };\n"
    "template <> struct words<2> { typedef ushort type; };\n"
    "template <> struct words<1> { typedef uchar type; };\n"
    "\n"
    "template <typename T, int N>\n"
    "struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) vec\n"
    "    : cells<T, N, (in_words && sizeof(T) < 4 && sizeof(T) * N >= 4)> {\n"
    "    vec() = default;\n"
    "    __device__ __forceinline__ explicit vec(T x)\n"
    "    {\n"
    "        T list[N];\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < N; i++)\n"
    "            list[i] = x;\n"
    "        this->set(list);\n"
    "    }\n"
    "    template <typename... A> __device__ __forceinline__ vec(T a, T b, A... more)\n"
    "    {\n"
    "        const T list[N] = {a, b, T(more)...};\n"
    "        this->set(list);\n"
    "    }\n"
    "    __device__ __forceinline__ static vec load(const void *p)\n"
    "    {\n"
    "        return __builtin_bit_cast(vec, *(const typename words<sizeof(vec)>::type *)p);\n"
    "    }\n"
    "    __device__ __forceinline__ void store_device(void *p) const\n"
    "    {\n"
    "        typedef typename words<sizeof(vec)>::type all;\n"
    "        __stwb((all *)p, __builtin_bit_cast(all, *this));\n"
    "    }\n"
    "    __device__ __forceinline__ void store_shared(void *p) const\n"
    "    {\n"
    "        typedef typename words<sizeof(vec)>::type all;\n"
    "        *(all *)p = __builtin_bit_cast(all, *this);\n"
    "    }\n"
    "    __device__ __forceinline__ static vec from(const vec &v) { return v; }\n"
    "    template <typename V> __device__ __forceinline__ static vec from(const V &v)\n"
    "    {\n"
    "        T list[N];\n"
    "#pragma unroll\n"
    "        for (int i = 0; i < N; i++)\n"
    "            list[i] = T(v.get(i));\n"
    "        vec r;\n"
    "        r.set(list);\n"
    "        return r;\n"
    "    }\n"
    "    template <typename V> __device__ __forceinline__ V to() const { return V::from(*this); }\n"
    "};\n";

/* A launch may start while the one before it ends (programmatic dependent launch): it waits for that
 * end before it touches memory. Only then, and behind its own first loads, it lets the next one
 * start: so at most one waits, and its programs do not come before this one's loads. */
static const char start[] = "#if __CUDA_ARCH__ >= 900\n"
                            "    asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
                            "#endif\n";
static const char release[] =
    "#if __CUDA_ARCH__ >= 900\n"
    "    asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n"
    "#endif\n";
static const char late_release[] =
    "#if __CUDA_ARCH__ >= 900\n"
    "    if (gridDim.x - blockIdx.x <= 1024u)\n"
    "        asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n"
    "#endif\n";

/* As the helpers take them; which shapes there are is said in plan/instruction.c. */
static const char *fragment_type(struct ir_type type, struct arena *arena)
{
    const char *elem = emit_cuda.elems[type.elem];
    return arena_format(arena, "@fragment<%s, %d, %d>", elem, (int)type.dims[0],
                        (int)type.dims[1]);
}

const struct emit_dialect emit_cuda = {
    .name = "cuda",
    .elems =
        {
            [IR_BOOL] = "bool",
            [IR_I8] = "schar",
            [IR_I16] = "short",
            [IR_I32] = "int",
            [IR_I64] = "long",
            [IR_U8] = "uchar",
            [IR_U16] = "ushort",
            [IR_U32] = "uint",
            [IR_U64] = "ulong",
            [IR_F16] = "ushort",
            [IR_BF16] = "ushort",
            [IR_F32] = "float",
            [IR_F64] = "double",
        },
    .spaces = {[IR_SPACE_DEVICE] = "", [IR_SPACE_THREADGROUP] = ""},
    .space_names = {[IR_SPACE_DEVICE] = "device", [IR_SPACE_THREADGROUP] = "shared"},
    .shared = "__shared__",
    /* In __constant__ memory a warp's different indices are read one after the other. */
    .table = "static __device__ const",
    .static_shared_bytes = 49152,
    .barriers =
        {
            [IR_SCOPE_THREADGROUP] = "__syncthreads()",
            [IR_SCOPE_DEVICE] = "__syncthreads()",
            [IR_SCOPE_GROUP] = "__syncwarp()",
        },
    .numbered_barrier = "asm volatile(\"bar.sync %d;\" ::: \"memory\");",
    .widen = {[IR_F16] = "widen_half", [IR_BF16] = "widen_bfloat"},
    .narrow = {[IR_F16] = "narrow_half", [IR_BF16] = "narrow_bfloat"},
    .half_bits = "half_bits",
    .narrow_vector = {[IR_F16] = "narrow_halves", [IR_BF16] = "narrow_bfloats"},
    .fragment_type = fragment_type,
    .fragment_element = "%s.e[%d]",
    .start_product = emit_cuda_start_product,
    .settle = "settle",
    .vector = "vec<%s, %d>",
    .packed_vector = "packed<%s, %d>",
    .components = components,
    .converts_vectors = false,
    .most_lanes = 16,
    .most_parameters = 500,
    .atomic_bits = 8 | 16 | 32 | 64,
    .reserved = reserved,
    .always_suffixed = true,
    .spellings = spellings,
    .spelling_count = sizeof spellings / sizeof *spellings,
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
    .positions = positions,
    .position_count = sizeof positions / sizeof *positions,
    .head = head,
    .options = {of_others, of_products},
    .attribute = "extern \"C\" __global__ void __launch_bounds__(%d)",
    .crowded_attribute = "extern \"C\" __global__ void __launch_bounds__(%d, %d)",
    .cluster_attribute = " __cluster_dims__(%d, 1, 1)",
    .cluster_positions = cluster_positions,
    .part_positions = part_positions,
    .part_start = part_start,
    .part_barrier = "asm volatile(\"bar.sync %%0, %d;\" :: \"r\"(part) : \"memory\");",
    .array = "%s%s",
    .restrict_array = "%s__restrict__ %s",
    .scalar = "%s %s",
    .predicated_load = "load_if",
    .predicated_store = "store_if",
    .loop_start = "loop_start",
    .start = start,
    .release = release,
    .late_release = late_release,
};
