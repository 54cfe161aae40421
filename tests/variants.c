/* See variants.h. The code is made from the Tile IR that the passes leave, read back from its text.
 */
#include "run/run.h" /* first: it asks for all of tilec.h */

#include "variants.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct variants_code {
    char name[64];
    unsigned variant;
    struct elf_image *image; /* of the first code that is in it, else NULL */
    run_code *run;
    run_grid_code *grid;
    size_t scratch_bytes;
};

static const char *const fetching_names[] = {[CPU_FETCH_PLAIN] = "plain",
                                             [CPU_FETCH_NEAR] = "near",
                                             [CPU_FETCH_EARLY] = "early",
                                             [CPU_FETCH_DENSE] = "dense",
                                             [CPU_FETCH_APART] = "apart"};
_Static_assert(sizeof fetching_names / sizeof *fetching_names == CPU_FETCH_COUNT,
               "a name for each");

/* ---- making ---------------------------------------------------------------------------------- */

struct making {
    struct variants *variants;
    const struct cpu_module *module;
    const char *level;
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    const struct ir_kernel *kernel;
};

static bool failed(struct making *m, const char *what, const char *detail)
{
    snprintf(m->variants->why, sizeof m->variants->why, "%s: %s", what, detail);
    return false;
}

static bool load(struct making *m, const struct cpu_output *output, unsigned wanted, int column)
{
    struct elf_load load = {.allocator = allocator_default, .resolve = run_resolve};
    struct elf_image *image = elf_load(&load, output->bytes, output->size);
    if (!image)
        return failed(m, "the object does not load", load.why);
    run_code *last = NULL;
    struct elf_image *owner = image;
    for (unsigned v = 0; v < CPU_VARIANT_COUNT; v++) {
        char symbol[] = "k.0";
        symbol[2] = (char)('0' + v);
        run_code *run = wanted >> v & 1 ? (run_code *)elf_symbol(image, symbol) : NULL;
        if (!run || run == last) /* the same code twice */
            continue;
        struct variants_code *code = &m->variants->codes[m->variants->count++];
        *code = (struct variants_code){.variant = v,
                                       .image = owner,
                                       .run = run,
                                       .grid = (run_grid_code *)elf_symbol(image, "k.grid"),
                                       .scratch_bytes = (size_t)output->stats.scratch_bytes};
        snprintf(code->name, sizeof code->name, "%s%s%s",
                 column ? "streaming, fetching " : "not streaming",
                 column ? fetching_names[column - 1] : "",
                 v & CPU_VARIANT_NO_OVERLAP ? ", arrays apart" : "");
        last = run;
        owner = NULL;
    }
    return owner ? failed(m, "the object lacks a function", "k.0") : true;
}

/* column: 0: the variants that do not stream, with dead tiles spoilt; else those that do, fetching that way. */
static bool make_column(struct making *m, int column, unsigned *differs)
{
    enum cpu_fetching fetching = column ? (enum cpu_fetching)(column - 1) : CPU_FETCH_PLAIN;
    unsigned both = 1u << 0 | 1u << CPU_VARIANT_NO_OVERLAP;
    struct cpu_options options = {.level = m->level,
                                  .variants = column ? both << CPU_VARIANT_STREAMING : both,
                                  .symbol = "k",
                                  .fetching = &fetching,
                                  .spoils = !column};
    struct cpu_output output;
    if (!m->module->compile(m->kernel, &options, CPU_OBJECT, &m->arena, &m->diagnostics, &output))
        return failed(m, "it does not compile",
                      m->diagnostics.count ? m->diagnostics.items[0].message : "no reason");
    m->variants->paths[column] = output.stats.paths;
    *differs = output.stats.differs;
    bool loaded = load(m, &output, options.variants, column);
    free(output.bytes);
    return loaded;
}

static bool make_all(struct making *m, const char *text, size_t length)
{
    char why[300];
    const char *hint;
    unsigned differs, unused;
    struct source_file file = {"k.ir", text, length};
    m->kernel = ir_kernel_read(&m->arena, &m->diagnostics, &file);
    if (!m->kernel)
        return failed(m, "its Tile IR cannot be read back",
                      m->diagnostics.count ? m->diagnostics.items[0].message : "no reason");
    m->module = run_open_cpu_module(why, sizeof why, &hint);
    if (!m->module)
        return failed(m, "no CPU backend", why);
    if (!make_column(m, 0, &differs))
        return false;
    for (int column = 1; differs & CPU_VARIANT_STREAMING && column < VARIANTS_COLUMNS; column++) {
        if (!make_column(m, column, &unused))
            return false;
    }
    return true;
}

static void make(struct making *m, const char *text, size_t length)
{
    if (setjmp(m->out_of_memory)) {
        failed(m, "out of memory", "");
        arena_free(&m->arena);
        return;
    }
    arena_init(&m->arena, allocator_default, &m->out_of_memory);
    diagnostics_init(&m->diagnostics, &m->arena);
    make_all(m, text, length);
    arena_free(&m->arena);
}

struct variants *variants_make(tilec_context *context, const tilec_source *source,
                               const tilec_compile_options *options)
{
    struct variants *v = calloc(1, sizeof *v);
    struct making *m = calloc(1, sizeof *m);
    tilec_program *program = NULL;
    char *text = NULL;
    size_t length = 0;
    if (!v || !m || !(v->codes = calloc(VARIANTS_MOST, sizeof *v->codes)))
        abort();
    m->variants = v;
    m->level = options->cpu ? options->cpu : "native";
    tilec_status status = tilec_program_create(context, source, &program);
    if (status == TILEC_OK)
        status = tilec_emit(program, options, TILEC_STAGE_TILE, &text, &length);
    if (status == TILEC_OK) {
        make(m, text, length);
    } else {
        tilec_diagnostic d;
        bool told = tilec_diagnostic_get(context, 0, &d) == TILEC_OK;
        failed(m, tilec_status_string(status), told ? d.text : "");
    }
    tilec_release(context, text);
    tilec_program_destroy(program);
    free(m);
    return v;
}

void variants_free(struct variants *variants)
{
    if (!variants)
        return;
    for (int i = 0; i < variants->count; i++)
        elf_unload(variants->codes[i].image);
    free(variants->codes);
    free(variants);
}

/* ---- running --------------------------------------------------------------------------------- */

const char *variants_name(const struct variants *variants, int code)
{
    return variants->codes[code].name;
}

bool variants_need_apart(const struct variants *variants, int code)
{
    return variants->codes[code].variant & CPU_VARIANT_NO_OVERLAP;
}

static void on_assert(const struct cpu_hooks *hooks, const char *text, int64_t id)
{
    (void)hooks;
    fprintf(stderr, "assertion failed in program %" PRId64 ": %s\n", id, text);
    abort();
}

static void on_print(const struct cpu_hooks *hooks, const char *text, int64_t id, int32_t elem,
                     int32_t rank, const int32_t *dims, const void *elements)
{
    (void)hooks, (void)text, (void)id, (void)elem, (void)rank, (void)dims, (void)elements;
}

static uint64_t value_of(const tilec_argument *argument)
{
    size_t bytes = tilec_type_size(argument->type);
    if (argument->kind == TILEC_BUFFER)
        return (uintptr_t)argument->data;
    return bytes == 8 ? argument->bits : argument->bits & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* A NaN or a large number where nothing was written. */
static unsigned char *new_scratch(size_t bytes)
{
    static const struct cpu_hooks hooks = {on_assert, on_print};
    const struct cpu_hooks *place = &hooks;
    unsigned char *block = aligned_alloc(64, (bytes + 191) / 64 * 64);
    if (!block)
        abort();
    memset(block, 0xa5, bytes + 128);
    memcpy(block + 64 - sizeof place, &place, sizeof place);
    return block;
}

void variants_run(const struct variants *variants, int number, const tilec_argument *arguments,
                  size_t count, const int64_t *given, int64_t share)
{
    const struct variants_code *code = &variants->codes[number];
    uint64_t values[64], scalars[64];
    int64_t grid[3] = {1, 1, 1};
    size_t scalar_count = 0;
    for (size_t i = 0; i < count; i++) {
        values[i] = value_of(&arguments[i]);
        if (arguments[i].kind == TILEC_SCALAR)
            scalars[scalar_count++] = values[i];
    }
    if (given)
        memcpy(grid, given, sizeof grid);
    else if (code->grid)
        code->grid(scalars, grid);
    unsigned char *block = new_scratch(code->scratch_bytes);
    int64_t programs = grid[0] * grid[1] * grid[2];
    for (int64_t from = (programs - 1) / share * share; from >= 0 && programs > 0; from -= share) {
        int64_t to = programs - from < share ? programs : from + share;
        code->run(values, grid, from, to, block + 64);
    }
    free(block);
}

/* ---- which paths ----------------------------------------------------------------------------- */

void variants_count(const struct variants *variants,
                    uint64_t counts[VARIANTS_COLUMNS][CPU_PATH_COUNT])
{
    for (int column = 0; column < VARIANTS_COLUMNS; column++)
        for (int path = 0; path < CPU_PATH_COUNT; path++)
            counts[column][path] += variants->paths[column] >> path & 1;
}

enum { NOT_STREAMING = 1, PLAIN = 2, NEAR = 4, EARLY = 8, DENSE = 16 };

static const struct {
    const char *name;
    unsigned columns; /* in which it may be taken */
} paths[] = {
    [CPU_PATH_SIDE_BY_SIDE] = {"side by side", NOT_STREAMING | PLAIN | DENSE},
    [CPU_PATH_BEHIND] = {"behind", NEAR | EARLY | DENSE},
    [CPU_PATH_LEAD] = {"lead", NEAR},
    [CPU_PATH_SQUARES] = {"squares", NOT_STREAMING | PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_NEAR] = {"near", NOT_STREAMING | PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_PAIRS] = {"pairs", NOT_STREAMING | PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_PAST] = {"past", PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_SHIFTED] = {"shifted", PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_AHEAD] = {"ahead", PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_EARLY] = {"early", EARLY | DENSE},
    [CPU_PATH_PAGES] = {"pages", NEAR | EARLY | DENSE},
    [CPU_PATH_INTS] = {"ints", NOT_STREAMING | PLAIN | NEAR | EARLY | DENSE},
    [CPU_PATH_CLOSE] = {"close", NOT_STREAMING | PLAIN | NEAR | EARLY | DENSE},
};
_Static_assert(sizeof paths / sizeof *paths == CPU_PATH_COUNT, "a row for each");

static bool may_take(const struct cpu_level *level, int path)
{
    if (path == CPU_PATH_SHIFTED || path == CPU_PATH_CLOSE)
        return level->features.avx2;
    if (path == CPU_PATH_SQUARES)
        return level->features.fma;
    if (path == CPU_PATH_PAIRS)
        return level->features.avx512_bf16 || (level->features.avx2 && !level->features.avx512);
    return true;
}

bool variants_print_counts(uint64_t counts[VARIANTS_COLUMNS][CPU_PATH_COUNT], const char *name,
                           uint64_t least)
{
    struct cpu_level level;
    bool enough = cpu_level_find(name ? name : "native", &level);
    printf("kernels by path  %13s", "not streaming");
    for (int column = 1; column < VARIANTS_COLUMNS; column++)
        printf(" %7s", fetching_names[column - 1]);
    putchar('\n');
    for (int path = 0; path < CPU_PATH_COUNT; path++) {
        printf("  %-15s", paths[path].name);
        for (int column = 0; column < VARIANTS_COLUMNS; column++) {
            bool wanted = may_take(&level, path) && paths[path].columns >> column & 1;
            bool missing = wanted && counts[column][path] < least;
            printf("%*" PRIu64 "%s", column ? 7 : 13, counts[column][path], missing ? "!" : " ");
            enough = enough && !missing;
        }
        putchar('\n');
    }
    if (!enough)
        printf("paths marked ! were taken by fewer than %" PRIu64 " kernels\n", least);
    return enough;
}
