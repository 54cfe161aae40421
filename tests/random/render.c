/* Kernels as text, and the data they run on. */
#include "kernel.h"

#include "base/half.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct writer {
    struct kernel *kernel;
    struct text text;
    int depth;
};

static void write_pattern(struct writer *w, const char *pattern, struct expr *const *children,
                          const struct variable *variable, struct parameter *parameter);

static void write_expr(struct writer *w, const struct expr *e)
{
    write_pattern(w, e->pattern, e->children, e->variable, e->parameter);
}

/* "%" alone is the variable; " % " is the remainder. */
static void write_pattern(struct writer *w, const char *pattern, struct expr *const *children,
                          const struct variable *variable, struct parameter *parameter)
{
    for (const char *c = pattern; *c; c++) {
        if (*c == '$') {
            write_expr(w, children[*++c - '0']);
        } else if (*c == '@') {
            parameter->used = true;
            text_string(&w->text, parameter->name);
        } else if (*c == '%' && variable) {
            text_string(&w->text, variable->name);
        } else {
            text_char(&w->text, *c);
        }
    }
}

static void indent(struct writer *w)
{
    for (int i = 0; i < w->depth; i++)
        text_string(&w->text, "    ");
}

static void write_statements(struct writer *w, const struct statement *s);

static void write_block(struct writer *w, const struct statement *s)
{
    text_string(&w->text, " {\n");
    w->depth++;
    write_statements(w, s);
    w->depth--;
    indent(w);
    text_char(&w->text, '}');
}

static void write_statements(struct writer *w, const struct statement *s)
{
    for (; s; s = s->next) {
        indent(w);
        write_pattern(w, s->pattern, s->children, s->variable, s->parameter);
        if (s->has_body)
            write_block(w, s->body);
        if (s->tail)
            write_pattern(w, s->tail, s->children, s->variable, s->parameter);
        if (s->has_other) {
            text_string(&w->text, " else");
            write_block(w, s->other);
        }
        text_char(&w->text, '\n');
    }
}

static void write_parameter(struct text *out, const struct parameter *p)
{
    if (p->kind == PARAMETER_SCALAR)
        text_format(out, "%s %s", c_name(p->elem), p->name);
    else
        text_format(out, "%s%s *%s%s", p->kind == PARAMETER_INPUT ? "const " : "", c_name(p->elem),
                    p->is_restrict ? "restrict " : "", p->name);
}

/* The helpers that the body calls: each is a static function, separated by an empty line. */
static void write_helpers(struct kernel *kernel, const char *body, struct text *out)
{
    const char *next;
    for (const char *helper = kernel->helpers.items; *helper; helper = next) {
        next = strstr(helper, "}\n\n") + 3;
        const char *name = strchr(helper + 7, ' ') + 1;
        size_t length = strcspn(name, "(");
        const char *call = arena_format(kernel->arena, "%.*s(", (int)length, name);
        const char *word = arena_format(kernel->arena, "%.*s,", (int)length, name);
        if (strstr(body, call) || strstr(body, word))
            text_append(out, helper, (size_t)(next - helper));
    }
}

static void write_tables(struct kernel *kernel, const char *body, struct text *out)
{
    size_t before = out->count;
    const char *next;
    for (const char *line = kernel->tables.items; line && *line; line = next) {
        next = strchr(line, '\n') + 1;
        const char *name = strstr(line, " table") + 1;
        size_t length = strcspn(name, "[") + 1;
        if (strstr(body, arena_format(kernel->arena, "%.*s", (int)length, name)))
            text_append(out, line, (size_t)(next - line));
    }
    text_string(out, out->count > before ? "\n" : "");
}

/* The items that the rest mentions, the last of them first: each may use the ones in front of it.
 */
static const char *items_text(struct writer *w, const struct item *item, const char *rest)
{
    if (!item)
        return "";
    const char *behind = items_text(w, item->next, rest);
    if (!strstr(rest, item->name) && !strstr(behind, item->name))
        return behind;
    struct writer one = {.kernel = w->kernel};
    text_init(&one.text, w->kernel->arena);
    text_string(&one.text, item->head);
    if (item->has_body)
        write_block(&one, item->body);
    text_format(&one.text, "\n%s%s", item->has_body ? "\n" : "", behind);
    return one.text.items;
}

const char *render_kernel(struct kernel *kernel)
{
    struct writer w = {.kernel = kernel, .depth = 1};
    for (int i = 0; i < kernel->parameter_count; i++)
        kernel->parameters[i]->used = false;
    text_init(&w.text, kernel->arena);
    write_statements(&w, kernel->body);

    struct text out;
    text_init(&out, kernel->arena);
    text_string(&out, "#include <tilec/kernel.h>\n\n");
    write_tables(kernel, w.text.items, &out);
    write_helpers(kernel, w.text.items, &out);
    text_string(&out, items_text(&w, kernel->items, w.text.items));
    text_format(&out, "launch_grid(k, %d, %d, %d);\n\n", (int)kernel->grid[0], (int)kernel->grid[1],
                (int)kernel->grid[2]);
    text_string(&out, "kernel void k(");
    bool first = true;
    for (int i = 0; i < kernel->parameter_count; i++) {
        if (!kernel->parameters[i]->used)
            continue;
        text_string(&out, first ? "" : ", ");
        write_parameter(&out, kernel->parameters[i]);
        first = false;
    }
    text_string(&out, first ? "void)\n{\n" : ")\n{\n");
    if (strstr(w.text.items, "pid"))
        text_string(&out, "    int pid = program_id(0) + num_programs(0) * (program_id(1) + "
                          "num_programs(1) * program_id(2));\n");
    text_append(&out, w.text.items, w.text.count);
    text_string(&out, "}\n");
    return out.items;
}

/* ---- data ----------------------------------------------------------------------------------- */

static double random_real(struct random *r, bool specials)
{
    static const double special[] = {0.0,
                                     -0.0,
                                     1e-40,
                                     -1e-42,
                                     6e-8,
                                     65504.0,
                                     1e30,
                                     -1e38,
                                     3e9,
                                     -3e9,
                                     1e5,
                                     (double)INFINITY,
                                     -(double)INFINITY,
                                     (double)NAN,
                                     0.1,
                                     1e-3};
    int choice = random_below(r, 100);
    if (specials && choice < 12)
        return special[random_below(r, 16)];
    if (choice < 40)
        return random_below(r, 33) - 16;
    return ((double)random_below(r, 1 << 24) / (1 << 24) - 0.5) * 8;
}

/* calm: a float is near zero. */
static uint64_t random_element(struct random *r, enum ir_elem elem, bool specials, bool calm,
                               bool whole)
{
    uint64_t bits = random_bits(r),
             mask = bits_of(elem) == 64 ? UINT64_MAX : (UINT64_C(1) << bits_of(elem)) - 1;
    double real = random_real(r, specials) * (calm ? 0.25 : 1);
    if (whole)
        real = random_below(r, 17) - 8;
    float narrow = (float)real;
    switch (elem) {
    case IR_BOOL:
        return bits & 1;
    case IR_F16:
        return half_from_double(real);
    case IR_BF16:
        return bfloat_from_double(real);
    case IR_F32:
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    case IR_F64:
        memcpy(&bits, &real, sizeof real);
        return bits;
    default: /* small ones more often than not, of both signs */
        if (bits & 1)
            return (uint64_t)((int64_t)(bits >> 8 & 63) - 24) & mask;
        return bits >> 8 & mask;
    }
}

/* What nobody wrote: 0xa5 in every byte, NaN in floats, as `tilec run` poisons new arrays. */
static uint64_t poison_of(enum ir_elem elem)
{
    switch (elem) {
    case IR_BOOL:
        return 0;
    case IR_F16:
        return 0x7e00;
    case IR_BF16:
        return 0x7fc0;
    case IR_F32:
        return 0x7fc00000;
    case IR_F64:
        return UINT64_C(0x7ff8000000000000);
    default:
        return UINT64_C(0xa5a5a5a5a5a5a5a5);
    }
}

static bool is_calm(const struct parameter *p, int64_t i)
{
    return p->calm && i / p->calm % 3 != 2;
}

void render_data(const struct kernel *kernel, const struct parameter *p, void *data)
{
    size_t bytes = (size_t)bits_of(p->elem) / 8;
    unsigned char *to = data;
    struct random random = {kernel->seed ^ UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)p->name[1]};
    struct random start = random;
    for (int64_t i = 0; i < p->elements; i++) {
        if (kernel->period && i % kernel->period == 0)
            random = start;
        uint64_t bits =
            p->kind == PARAMETER_OUTPUT
                ? poison_of(p->elem)
                : random_element(&random, p->elem, kernel->specials, is_calm(p, i), kernel->whole);
        memcpy(to + (size_t)i * bytes, &bits, bytes);
    }
}

void render_block(const struct kernel *kernel, void *data)
{
    const struct parameter whole = {
        .name = "B",
        .kind = PARAMETER_OWN,
        .elem = kernel->block_elem,
        .elements = kernel->block_bytes * 8 / bits_of(kernel->block_elem),
    };
    render_data(kernel, &whole, data);
}

/* ---- a golden test -------------------------------------------------------------------------- */

static const char *const type_names[IR_ELEM_COUNT] = {
#define ELEMENT(suffix, name, c_name, bits, kind) name,
#include "ir/elements.def"
#undef ELEMENT
};

static void write_element(struct text *out, uint64_t bits, enum ir_elem elem)
{
    if (elem == IR_BF16)
        text_format(out, "%" PRIu64, bits);
    else if (kind_of(elem) == IR_KIND_FLOAT)
        text_format(out, "bits:0x%" PRIx64, bits);
    else if (kind_of(elem) == IR_KIND_SIGNED) {
        int shift = 64 - bits_of(elem);
        text_format(out, "%" PRId64, (int64_t)(bits << shift) >> shift);
    } else
        text_format(out, "%" PRIu64, bits);
}

static void write_array(struct kernel *kernel, const struct parameter *p, struct text *out)
{
    size_t bytes = (size_t)bits_of(p->elem) / 8;
    unsigned char *data = arena_alloc(kernel->arena, (size_t)p->elements * bytes);
    int64_t count = kernel->period && kernel->period < p->elements ? kernel->period : p->elements;
    render_data(kernel, p, data);
    text_format(out, "// array %s.npy %s[%" PRId64 "]:", p->name, type_names[p->elem], p->elements);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, data + (size_t)i * bytes, bytes);
        text_char(out, ' ');
        write_element(out, bits, p->elem);
    }
    text_char(out, '\n');
}

static void write_scalar(const struct parameter *p, struct text *out)
{
    float narrow;
    double wide;
    memcpy(&narrow, &p->bits, sizeof narrow);
    memcpy(&wide, &p->bits, sizeof wide);
    text_format(out, " %s=", p->name);
    if (p->elem == IR_F64)
        text_format(out, "%.17g", wide);
    else if (p->elem == IR_F32)
        text_format(out, "%.9g", (double)narrow);
    else if (p->elem == IR_F16)
        text_format(out, "%.9g", (double)half_to_float((uint16_t)p->bits));
    else if (p->elem == IR_BF16)
        text_format(out, "%.9g", (double)bfloat_to_float((uint16_t)p->bits));
    else
        write_element(out, p->bits, p->elem);
}

const char *render_value(struct arena *arena, const struct parameter *p)
{
    int bits = bits_of(p->elem);
    const char *number = arena_format(arena, "0x%" PRIx64 "%s", p->bits, bits > 32 ? "ul" : "u");
    if (p->elem == IR_BOOL)
        return p->bits ? "true" : "false";
    if (kind_of(p->elem) == IR_KIND_UNSIGNED)
        return number;
    if (bits < 32)
        number = arena_format(arena, "cast(uint%d_t, %s)", bits, number);
    return arena_format(arena, "bitcast(%s, %s)", c_name(p->elem), number);
}

const char *render_golden(struct kernel *kernel)
{
    const char *text = render_kernel(kernel);
    struct text out;
    text_init(&out, kernel->arena);
    text_format(&out, "// Found by random_kernels, seed %" PRIu64 ".\n// run:", kernel->seed);
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (!p->used)
            continue;
        if (p->kind == PARAMETER_SCALAR)
            write_scalar(p, &out);
        if (p->kind == PARAMETER_SCALAR && p->fixed)
            text_format(&out, " -D '%s=%s'", p->name, render_value(kernel->arena, p));
        if (p->kind == PARAMETER_SCALAR)
            continue;
        if (p->kind == PARAMETER_OUTPUT)
            text_format(&out, " %s=new:%s[%" PRId64 "]", p->name, type_names[p->elem], p->elements);
        else
            text_format(&out, " %s=@%s.npy", p->name, p->name);
        if (p->kind != PARAMETER_SCALAR && p->kind != PARAMETER_INPUT)
            text_format(&out, " --out %s=%s.out.npy", p->name, p->name);
    }
    text_char(&out, '\n');
    for (int i = 0; i < kernel->parameter_count; i++) {
        const struct parameter *p = kernel->parameters[i];
        if (p->used && p->same_as && p->same_as->used)
            text_format(&out, "// %s and %s were one buffer, which this test cannot say.\n",
                        p->name, p->same_as->name);
        if (p->used && p->in_block)
            text_format(&out,
                        "// %s began at byte %" PRId64 " of a block, which this test cannot say.\n",
                        p->name, p->shift);
        if (p->used && p->kind != PARAMETER_SCALAR && p->kind != PARAMETER_OUTPUT && !p->in_block)
            write_array(kernel, p, &out);
    }
    text_string(&out, text);
    text_string(&out, "---\n");
    return out.items;
}
