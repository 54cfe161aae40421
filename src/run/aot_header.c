/*
 * The C header of an ahead-of-time object; see aot.h.
 *
 * It is C99 and C++, uses types of fixed width only and compiles under -Wall -Wextra -Werror. What
 * all such headers share stands between guards of its own, so that several can be included.
 */
#include "ir/number.h"
#include "run/aot.h"

#include <string.h>

static const char shared[] =
    "#ifndef TILEC_AOT_SHARED\n"
    "#define TILEC_AOT_SHARED\n"
    "\n"
    "/* What every function returns. */\n"
    "enum {\n"
    "    TILEC_AOT_OK = 0,\n"
    "    TILEC_AOT_NO_MEMORY = 1,   /* no scratch memory; the output is incomplete */\n"
    "    TILEC_AOT_INVALID = 2,     /* run did not call body for exactly the programs there are "
    "*/\n"
    "    TILEC_AOT_REQUIREMENT = 6, /* the arguments do not meet a launch_require */\n"
    "    TILEC_AOT_CPU = 7,         /* this processor has none of the object's levels */\n"
    "    TILEC_AOT_ARGUMENT = 8,    /* an argument is missing, mistyped, NULL, unaligned, too "
    "small,\n"
    "                                * restrict and overlapping, or a scalar not what it is fixed "
    "at */\n"
    "    TILEC_AOT_GRID = 9,        /* the grid is missing, negative or above 2^32 programs */\n"
    "    TILEC_AOT_FAULT = 10       /* a tile_assert does not hold */\n"
    "};\n"
    "\n"
    "/* Element types. half and bfloat are passed as their 16 bits, bool as a byte of 0 or 1. */\n"
    "enum {\n"
    "    TILEC_AOT_BOOL = 0, TILEC_AOT_I8 = 1, TILEC_AOT_I16 = 2, TILEC_AOT_I32 = 3,\n"
    "    TILEC_AOT_I64 = 4, TILEC_AOT_U8 = 5, TILEC_AOT_U16 = 6, TILEC_AOT_U32 = 7,\n"
    "    TILEC_AOT_U64 = 8, TILEC_AOT_F16 = 9, TILEC_AOT_BF16 = 10, TILEC_AOT_F32 = 11,\n"
    "    TILEC_AOT_F64 = 12\n"
    "};\n"
    "\n"
    "/* A loop over [0, count) that the caller provides: run calls body(state, begin, end) for "
    "ranges\n"
    " * that together cover it once, from any threads, and returns when all are done. A NULL "
    "pointer to\n"
    " * this struct, or in place of run, means one call on the calling thread. */\n"
    "struct tilec_aot_parallel {\n"
    "    void (*run)(void *user, int64_t count,\n"
    "                void (*body)(void *state, int64_t begin, int64_t end), void *state);\n"
    "    void *user;\n"
    "};\n"
    "\n"
    "/* A described argument: a buffer has data, shape (rank sizes, row-major, contiguous; rank 0 "
    "to\n"
    " * 8), a scalar has bits, its value zero-extended. */\n"
    "struct tilec_aot_argument {\n"
    "    void *data;\n"
    "    uint64_t bits;\n"
    "    const int64_t *shape;\n"
    "    int32_t type;\n"
    "    int32_t rank;\n"
    "};\n"
    "\n"
    "struct tilec_aot_parameter {\n"
    "    const char *name;\n"
    "    int32_t is_buffer; /* 0: a scalar */\n"
    "    int32_t type;\n"
    "    int32_t is_const; /* the kernel does not write the buffer */\n"
    "    int32_t is_restrict;\n"
    "    int32_t is_fixed; /* a scalar that must have these bits, zero-extended */\n"
    "    uint64_t fixed_bits;\n"
    "};\n"
    "\n"
    "/* What a generic caller needs. call checks everything; grid (x, y, z) may be NULL if "
    "has_grid. */\n"
    "struct tilec_aot_kernel {\n"
    "    const char *name;\n"
    "    const char *levels; /* processor levels in the object, best first */\n"
    "    const struct tilec_aot_parameter *parameters;\n"
    "    int32_t (*call)(const struct tilec_aot_argument *arguments, int32_t count,\n"
    "                    const int64_t *grid, const struct tilec_aot_parallel *parallel);\n"
    "    int32_t parameter_count;\n"
    "    int32_t has_grid;\n"
    "};\n"
    "\n"
    "#endif\n";

const char *const aot_c_types[IR_ELEM_COUNT] = {
    [IR_BOOL] = "uint8_t", [IR_I8] = "int8_t",    [IR_I16] = "int16_t",   [IR_I32] = "int32_t",
    [IR_I64] = "int64_t",  [IR_U8] = "uint8_t",   [IR_U16] = "uint16_t",  [IR_U32] = "uint32_t",
    [IR_U64] = "uint64_t", [IR_F16] = "uint16_t", [IR_BF16] = "uint16_t", [IR_F32] = "float",
    [IR_F64] = "double",
};

/* Text for a comment: it can neither end it nor start another. */
static void put_comment_text(struct text *out, const char *words)
{
    char last = ' ';
    for (; *words; words++) {
        char c = *words >= ' ' && *words <= '~' ? *words : '?';
        if ((c == '/' && last == '*') || (c == '*' && last == '/'))
            text_char(out, ' ');
        text_char(out, c);
        last = c;
    }
}

/* A name that C++ reserves or the prototype adds is left out: a prototype needs none. */
static void put_name(struct text *out, const char *name)
{
    if (aot_is_identifier(name) && !aot_is_keyword(name) && strcmp(name, "tilec_grid") != 0 &&
        strcmp(name, "tilec_parallel") != 0) {
        text_string(out, name);
        return;
    }
    text_string(out, "/* ");
    put_comment_text(out, name);
    text_string(out, " */");
}

static void put_prototype(struct text *out, const struct aot_build *build)
{
    const struct ir_func *func = build->job->ir->func;
    text_format(out, "int32_t %s(", build->symbol);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        text_format(out, "%s%s %s", p->type.pointer && p->is_const ? "const " : "",
                    aot_c_types[p->type.elem], p->type.pointer ? "*" : "");
        put_name(out, p->name);
        text_string(out, ",\n    ");
    }
    if (!build->job->ir->grid)
        text_string(out, "const int64_t *tilec_grid,\n    ");
    text_string(out, "const struct tilec_aot_parallel *tilec_parallel);\n");
}

static void put_comment(struct text *out, const struct aot_build *build)
{
    const struct run_job *job = build->job;
    const struct ir_func *func = job->ir->func;
    text_format(out,
                "/*\n * Kernel '%s', compiled ahead of time by tilec " TILEC_VERSION
                ". Do not edit.\n *\n * Levels of code:",
                job->kernel_name);
    for (int i = 0; i < build->level_count; i++)
        text_format(out, " %s", build->levels[i].cpu.name);
    text_string(out, "\n * Parameters:\n");
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        text_format(out, " *   %-12s %s%s of %s%s", p->name, p->type.pointer ? "buffer" : "scalar",
                    p->type.pointer && !p->is_const ? ", written," : "",
                    ir_elems[p->type.elem].name, p->is_restrict ? ", overlaps nothing" : "");
        if (p->is_fixed) {
            text_string(out, ", fixed: ");
            ir_element_print(p->fixed, (enum ir_elem)p->type.elem, out);
        }
        text_char(out, '\n');
    }
    for (int i = 0; i < job->ir->require_count; i++) {
        text_string(out, " * Requires: ");
        put_comment_text(out, job->ir->launch_requires[i].text);
        text_char(out, '\n');
    }
    text_string(out, " */\n");
}

struct text aot_header(const struct aot_build *build)
{
    struct text out;
    const char *name = build->symbol;
    text_init(&out, build->job->arena);
    put_comment(&out, build);
    text_format(
        &out, "#ifndef TILEC_AOT_HEADER_%s\n#define TILEC_AOT_HEADER_%s\n\n#include <stdint.h>\n\n",
        name, name);
    text_string(&out, shared);
    text_string(&out, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_format(&out, "/* Runs the kernel. The pointers are trusted: %s_call checks. %s */\n", name,
                build->job->ir->grid ? "The grid is the kernel's launch_grid."
                                     : "tilec_grid: three sizes, x, y, z.");
    put_prototype(&out, build);
    text_format(&out,
                "\n/* The same with described arguments, one per parameter, all checked. */\n"
                "int32_t %s_call(const struct tilec_aot_argument *arguments, int32_t count,\n"
                "    const int64_t *grid, const struct tilec_aot_parallel *parallel);\n"
                "\nextern const struct tilec_aot_kernel %s_info;\n"
                "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n",
                name, name);
    return out;
}
