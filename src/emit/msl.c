/*
 * The dialect of the Metal Shading Language, 3.0; see docs/metal.md for what the text promises.
 *
 * bfloat came with MSL 3.1, so its values are carried as their bits (ushort) and computed in float.
 */
#include "emit/emit.h"

enum {
    B = EMIT_BOOL,
    S = EMIT_SIGNED,
    U = EMIT_UNSIGNED,
    F = EMIT_F32,
    H = EMIT_F16,
    W = EMIT_BF16,
    ANY = B | S | U | F | H | W,
};

static const struct emit_spelling spellings[] = {
#define SPELL(code, kinds, vectors, text) {code, kinds, vectors, text},
#include "emit/msl_ops.def"
#undef SPELL
};

static const struct emit_helper helpers[] = {
#define HELPER(name, text) {#name, text},
#include "emit/msl_helpers.def"
#undef HELPER
};

static const struct emit_position positions[] = {
    {IR_OP_PROGRAM_ID, "uint3 program [[threadgroup_position_in_grid]]"},
    {IR_OP_NUM_PROGRAMS, "uint3 programs [[threadgroups_per_grid]]"},
    {GPU_OP_THREAD_INDEX, "uint local [[thread_index_in_threadgroup]]"},
    {GPU_OP_LANE_INDEX, "uint lane [[thread_index_in_simdgroup]]"},
    {GPU_OP_GROUP_INDEX, "uint group [[simdgroup_index_in_threadgroup]]"},
};

/* Identifiers in kernel files, but words of MSL or C++; `main` is refused by Metal. */
static const char *const reserved[] = {
    "and",         "and_eq", "asm",      "bitand",   "bitor",     "catch",      "char16_t",
    "char32_t",    "class",  "compl",    "constant", "constexpr", "const_cast", "decltype",
    "delete",      "device", "explicit", "export",   "fragment",  "friend",     "kernel",
    "main",        "mesh",   "metal",    "mutable",  "namespace", "new",        "noexcept",
    "not",         "not_eq", "object",   "operator", "or",        "or_eq",      "private",
    "protected",   "public", "ray_data", "sampler",  "template",  "this",       "thread",
    "threadgroup", "throw",  "try",      "typeid",   "typename",  "uchar",      "uint",
    "ulong",       "ushort", "using",    "vertex",   "virtual",   "visible",    "wchar_t",
    "xor",         "xor_eq", NULL,
};

/* bfloat has none in MSL 3.0: such operands are widened first. */
static const char *fragment_type(struct ir_type type, struct arena *arena)
{
    bool fine = type.dims[0] == 8 && type.dims[1] == 8;
    (void)arena;
    if (!fine || (type.elem != IR_F32 && type.elem != IR_F16))
        return NULL;
    return type.elem == IR_F32 ? "simdgroup_float8x8" : "simdgroup_half8x8";
}

static const char *const components[] = {".x", ".y", ".z", ".w"};

const struct emit_dialect emit_msl = {
    .name = "msl",
    .elems =
        {
            [IR_BOOL] = "bool",
            [IR_I8] = "char",
            [IR_I16] = "short",
            [IR_I32] = "int",
            [IR_I64] = "long",
            [IR_U8] = "uchar",
            [IR_U16] = "ushort",
            [IR_U32] = "uint",
            [IR_U64] = "ulong",
            [IR_F16] = "half",
            [IR_BF16] = "ushort",
            [IR_F32] = "float",
        },
    .spaces = {[IR_SPACE_DEVICE] = "device", [IR_SPACE_THREADGROUP] = "threadgroup"},
    .shared = "threadgroup",
    .table = "constant",
    .barriers =
        {
            [IR_SCOPE_THREADGROUP] = "threadgroup_barrier(mem_flags::mem_threadgroup)",
            [IR_SCOPE_DEVICE] =
                "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup)",
            [IR_SCOPE_GROUP] = "simdgroup_barrier(mem_flags::mem_threadgroup)",
        },
    .widen = {[IR_BF16] = "widen"},
    .narrow = {[IR_BF16] = "narrow"},
    .vector = "%s%d",
    .packed_vector = "packed_%s%d",
    .components = components,
    .converts_vectors = true,
    .fragment_type = fragment_type,
    .fragment_element = "%s.thread_elements()[%d]",
    .most_lanes = 4,
    .most_parameters = 31,
    .atomic_bits = 32,
    .reserved = reserved,
    .spellings = spellings,
    .spelling_count = sizeof spellings / sizeof *spellings,
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
    .positions = positions,
    .position_count = sizeof positions / sizeof *positions,
    .head = "#include <metal_stdlib>\n"
            "using namespace metal;\n"
            "#if __METAL_VERSION__ >= 320\n"
            "#pragma METAL fp math_mode(safe)\n"
            "#endif\n"
            "#pragma clang fp contract(off)\n",
    .attribute = "[[max_total_threads_per_threadgroup(%d)]]\nkernel void",
    .array = "%s%s [[buffer(%d)]]",
    .restrict_array = "%s%s [[buffer(%d)]]",
    .scalar = "constant %s &%s [[buffer(%d)]]",
    .start = "",
    .release = "",
    .late_release = "",
};
