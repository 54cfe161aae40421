/*
 * The part of an ahead-of-time object that is made for one kernel, as LLVM IR; see aot.h.
 *
 *   tables       tilec.parameters, tilec.levels, tilec.masks
 *   as_fixed     compares the scalars that were fixed when the object was made
 *   NAME         the plain function: packs its parameters and launches
 *   NAME_call    takes described arguments
 *   NAME_info    what generic callers read
 */
#include "run/aot.h"

#include "run/aot_runtime.inc"

#include <string.h>

/* ---- the runtime, with numbers put in -------------------------------------------------------- */

static void put_template(struct text *out, const unsigned char *bytes, size_t size,
                         const struct aot_build *build)
{
    const char *at, *template = arena_copy_text(out->arena, (const char *)bytes, size);
    while ((at = strchr(template, '@'))) {
        text_append(out, template, (size_t)(at - template));
        if (strncmp(at, "@COUNT@", 7) == 0) {
            text_format(out, "%d", build->job->ir->func->parameter_count);
            template = at + 7;
        } else if (strncmp(at, "@LEVELS@", 8) == 0) {
            text_format(out, "%d", build->level_count);
            template = at + 8;
        } else {
            text_char(out, '@');
            template = at + 1;
        }
    }
    text_string(out, template);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A constant that ends with NUL; bytes that LLVM's text has a meaning for are escaped. */
static void put_string(struct text *out, const char *name, const char *value)
{
    text_format(out, "@%s = internal constant [%zu x i8] c\"", name, strlen(value) + 1);
    for (; *value; value++) {
        if (*value < ' ' || *value > '~' || *value == '"' || *value == '\\')
            text_format(out, "\\%02X", (unsigned char)*value);
        else
            text_char(out, *value);
    }
    text_string(out, "\\00\"\n");
}

static void put_parameters(struct text *out, const struct ir_func *func)
{
    for (int i = 0; i < func->parameter_count; i++) {
        struct text name;
        text_init(&name, out->arena);
        text_format(&name, "tilec.name.%d", i);
        put_string(out, name.items, func->parameters[i].name);
    }
    text_format(out, "@tilec.parameters = internal constant [%d x %%tilec.parameter] [",
                func->parameter_count);
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        text_format(out,
                    "%s%%tilec.parameter { ptr @tilec.name.%d, i32 %d, i32 %d, i32 %d, i32 %d, "
                    "i32 %d, i64 %lld }",
                    i ? ", " : "", i, p->type.pointer, p->type.elem, p->is_const, p->is_restrict,
                    p->is_fixed, (long long)p->fixed);
    }
    text_string(out, "]\n");
}

/* Whether the scalars that are fixed have their values. */
static void put_as_fixed(struct text *out, const struct ir_func *func)
{
    const char *all = "true";
    text_string(out, "define internal i1 @tilec.as_fixed(ptr %values) {\n");
    for (int i = 0; i < func->parameter_count; i++) {
        const struct ir_parameter *p = &func->parameters[i];
        if (!p->is_fixed)
            continue;
        text_format(out,
                    "  %%p%d = getelementptr i64, ptr %%values, i64 %d\n"
                    "  %%v%d = load i64, ptr %%p%d\n"
                    "  %%e%d = icmp eq i64 %%v%d, %lld\n"
                    "  %%s%d = and i1 %s, %%e%d\n",
                    i, i, i, i, i, i, (long long)p->fixed, i, all, i);
        all = arena_format(out->arena, "%%s%d", i);
    }
    text_format(out, "  ret i1 %s\n}\n", all);
}

/* The variant that stands in for one that was not made: without what is missing. */
static unsigned nearest_variant(unsigned made, unsigned wanted)
{
    static const unsigned weaker[CPU_VARIANT_COUNT][CPU_VARIANT_COUNT] = {
        {0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 0, 0}, {3, 1, 2, 0}};
    for (unsigned i = 0; i < CPU_VARIANT_COUNT; i++)
        if (made >> weaker[wanted][i] & 1)
            return weaker[wanted][i];
    return 0;
}

static void put_host(struct text *out, bool there, const char *prefix, const char *name)
{
    if (there)
        text_format(out, "ptr @%s.%s, ", prefix, name);
    else
        text_string(out, "ptr null, ");
}

static void declare_code(struct text *out, const struct aot_level *level,
                         const struct ir_kernel *ir)
{
    for (unsigned v = 0; v < CPU_VARIANT_COUNT; v++)
        if (level->variants >> v & 1)
            text_format(out, "declare void @%s.%u(ptr, ptr, i64, i64, ptr)\n", level->prefix, v);
    if (ir->grid)
        text_format(out, "declare void @%s.grid(ptr, ptr)\n", level->prefix);
    if (ir->require_count)
        text_format(out, "declare i32 @%s.require(ptr)\n", level->prefix);
    if (ir->needs)
        text_format(out, "declare void @%s.needs(ptr, ptr)\n", level->prefix);
}

static void put_level(struct text *out, const struct aot_level *level, const struct ir_kernel *ir)
{
    text_string(out, "%tilec.level { ");
    put_host(out, ir->grid != NULL, level->prefix, "grid");
    put_host(out, ir->require_count != 0, level->prefix, "require");
    put_host(out, ir->needs != NULL, level->prefix, "needs");
    text_string(out, "[4 x ptr] [");
    for (unsigned v = 0; v < CPU_VARIANT_COUNT; v++)
        text_format(out, "%sptr @%s.%u", v ? ", " : "", level->prefix,
                    nearest_variant(level->variants, v));
    text_format(out, "], i64 %lld }", (long long)level->scratch_bytes);
}

/* What a processor must report: leaf 1 ecx, leaf 7 ebx and ecx, leaf 7.1 eax, leaf 0x80000001 ecx,
 * registers saved. The levels are those of the x86-64 psABI. */
static void put_masks(struct text *out, const struct cpu_features *f)
{
    const unsigned sse42 = 1u << 0 | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
    const unsigned avx = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29; /* fma movbe f16c */
    const unsigned avx2 = 1u << 3 | 1u << 5 | 1u << 8;                         /* bmi1 bmi2 */
    const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    unsigned v3 = f->avx2 ? ~0u : 0, v4 = f->avx512 ? ~0u : 0;
    text_format(out, "[6 x i32] [i32 %u, i32 %u, i32 %u, i32 %u, i32 %u, i32 %u]",
                v3 & (sse42 | avx), (v3 & avx2) | (v4 & avx512),
                (f->avx512_vnni ? 1u << 11 : 0) | (f->avx512_vbmi ? 1u << 1 : 0),
                f->avx512_bf16 ? 1u << 5 : 0, v3 & (1u << 0 | 1u << 5), (v3 & 6u) | (v4 & 0xe6u));
}

static void put_levels(struct text *out, const struct aot_build *build)
{
    const struct ir_kernel *ir = build->job->ir;
    for (int i = 0; i < build->level_count; i++)
        declare_code(out, &build->levels[i], ir);
    text_format(out, "@tilec.levels = internal constant [%d x %%tilec.level] [",
                build->level_count);
    for (int i = 0; i < build->level_count; i++) {
        text_string(out, i ? ", " : "");
        put_level(out, &build->levels[i], ir);
    }
    text_format(out, "]\n@tilec.masks = internal constant [%d x [6 x i32]] [", build->level_count);
    for (int i = 0; i < build->level_count; i++) {
        text_string(out, i ? ", " : "");
        put_masks(out, &build->levels[i].cpu.features);
    }
    text_string(out, "]\n");
}

/* ---- exported functions ---------------------------------------------------------------------- */

/* How C passes a scalar: half and bfloat as 16-bit integers, bool as one of 8. */
static const char *passed_type(struct ir_type type)
{
    if (type.pointer)
        return "ptr";
    switch (ir_elems[type.elem].bits) {
    case 8:
        return "i8";
    case 16:
        return "i16";
    case 32:
        return type.elem == IR_F32 ? "float" : "i32";
    default:
        return type.elem == IR_F64 ? "double" : "i64";
    }
}

/* Turns parameter i into the 64 bits that the code reads, in %w<i>. */
static void widen(struct text *out, int i, struct ir_type type)
{
    int bits = ir_elems[type.elem].bits;
    if (type.pointer) {
        text_format(out, "  %%w%d = ptrtoint ptr %%a%d to i64\n", i, i);
    } else if (type.elem == IR_BOOL) {
        text_format(out, "  %%t%d = icmp ne i8 %%a%d, 0\n  %%w%d = zext i1 %%t%d to i64\n", i, i, i,
                    i);
    } else if (type.elem == IR_F32) {
        text_format(out, "  %%t%d = bitcast float %%a%d to i32\n  %%w%d = zext i32 %%t%d to i64\n",
                    i, i, i, i);
    } else if (bits == 64) {
        text_format(out, "  %%w%d = bitcast %s %%a%d to i64\n", i, passed_type(type), i);
    } else {
        text_format(out, "  %%w%d = zext i%d %%a%d to i64\n", i, bits, i);
    }
}

static void put_plain(struct text *out, const struct aot_build *build)
{
    const struct ir_func *func = build->job->ir->func;
    bool has_grid = build->job->ir->grid != NULL;
    text_format(out, "define i32 @%s(", build->symbol);
    for (int i = 0; i < func->parameter_count; i++)
        text_format(out, "%s %%a%d, ", passed_type(func->parameters[i].type), i);
    text_format(out, "%sptr %%parallel) {\n  %%values = alloca %%tilec.words\n",
                has_grid ? "" : "ptr %grid, ");
    for (int i = 0; i < func->parameter_count; i++) {
        widen(out, i, func->parameters[i].type);
        text_format(out,
                    "  %%p%d = getelementptr i64, ptr %%values, i64 %d\n"
                    "  store i64 %%w%d, ptr %%p%d\n",
                    i, i, i, i);
    }
    text_format(
        out,
        "  %%status = call i32 @tilec.launch(ptr %%values, ptr null, ptr %s, ptr %%parallel)"
        "\n  ret i32 %%status\n}\n",
        has_grid ? "null" : "%grid");
}

static void put_generic(struct text *out, const struct aot_build *build)
{
    const struct run_job *job = build->job;
    const char *name = build->symbol;
    struct text levels;
    text_init(&levels, out->arena);
    for (int i = 0; i < build->level_count; i++)
        text_format(&levels, "%s%s", i ? " " : "", build->levels[i].cpu.name);
    put_string(out, "tilec.kernel", job->kernel_name);
    put_string(out, "tilec.level.names", levels.items);
    text_format(out,
                "define i32 @%s_call(ptr %%arguments, i32 %%count, ptr %%grid, ptr %%parallel) {\n"
                "  %%status = call i32 @tilec.call(ptr %%arguments, i32 %%count, ptr %%grid,\n"
                "    ptr %%parallel)\n"
                "  ret i32 %%status\n}\n"
                "@%s_info = constant { ptr, ptr, ptr, ptr, i32, i32 } { ptr @tilec.kernel,\n"
                "  ptr @tilec.level.names, ptr @tilec.parameters, ptr @%s_call, i32 %d, i32 %d }\n",
                name, name, name, job->ir->func->parameter_count, job->ir->grid != NULL);
}

const char *aot_wrapper(const struct aot_build *build)
{
    struct text out;
    const struct ir_func *func = build->job->ir->func;
    text_init(&out, build->job->arena);
    /* Room for one word per parameter and the grid. */
    text_format(&out, "%%tilec.words = type [%d x i64]\n", func->parameter_count + 3);
    put_template(&out, runtime_ll, sizeof runtime_ll, build);
#if defined(__x86_64__)
    put_template(&out, levels_x86_64_ll, sizeof levels_x86_64_ll, build);
#else
    put_template(&out, one_level_ll, sizeof one_level_ll, build);
#endif
    put_parameters(&out, func);
    put_as_fixed(&out, func);
    put_levels(&out, build);
    put_plain(&out, build);
    put_generic(&out, build);
    return out.items;
}
