/*
 * Programs side by side (together.c): where it is done, that it is not done where it would be
 * wrong, and that an odd number of programs over three axes comes out right; and into which cache a
 * program that streams fetches ahead (stream.c). And that stores one program behind and maxima one
 * ahead (behind.c, lead.c) come to the same.
 */
#include "base/guard.h"
#include "base/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "cpu_harness.h"

enum { WIDTH = 64, PROGRAMS = 3 * 5 * 7 };

static const int64_t grid[3] = {3, 5, 7};

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
};

/* %p: the program's number, %i: the elements' */
#define PLACE                                                                                      \
    "  %p0 = program_id {axis 0} : i64\n"                                                          \
    "  %p1 = program_id {axis 1} : i64\n"                                                          \
    "  %p2 = program_id {axis 2} : i64\n"                                                          \
    "  %c5 = constant {5} : i64\n"                                                                 \
    "  %a = mul %p2, %c5 : i64\n"                                                                  \
    "  %b = add %p1, %a : i64\n"                                                                   \
    "  %c3 = constant {3} : i64\n"                                                                 \
    "  %c = mul %b, %c3 : i64\n"                                                                   \
    "  %p = add %p0, %c : i64\n"                                                                   \
    "  %i = arange {0 to 64} : i64[64]\n"

static struct ir_kernel *read_text(struct state *s, const char *text)
{
    struct source_file *file = ARENA_NEW(&s->arena, struct source_file); /* ops point to it */
    *file = (struct source_file){"test", text, strlen(text)};
    struct ir_kernel *kernel = ir_kernel_read(&s->arena, &s->diagnostics, file);
    assert_non_null(kernel);
    return kernel;
}

/* Out[p] = d * sqrt(sum of d squared) + max(x), d = x - mean(x), x = X[p]; `tail` goes before the
 * return. */
static struct ir_kernel *read_kernel(struct state *s, const char *x, const char *out,
                                     const char *out_name, const char *tail)
{
    static const char body[] = PLACE
                               "  %c64 = constant {64} : i64\n"
                               "  %first = mul %p, %c64 : i64\n"
                               "  %x0 = addptr %X, %first : ptr<f32>\n"
                               "  %x1 = broadcast %x0 : ptr<f32>[64]\n"
                               "  %x2 = addptr %x1, %i : ptr<f32>[64]\n"
                               "  %x = load %x2 : f32[64]\n"
                               "  %sum = sum {axis -1} %x : f32\n"
                               "  %part = constant {0.015625} : f32\n"
                               "  %mean = mul %sum, %part : f32\n"
                               "  %mean.1 = broadcast %mean : f32[64]\n"
                               "  %d = sub %x, %mean.1 : f32[64]\n"
                               "  %dd = mul %d, %d : f32[64]\n"
                               "  %q = sum {axis -1} %dd : f32\n"
                               "  %root = sqrt %q : f32\n"
                               "  %root.1 = broadcast %root : f32[64]\n"
                               "  %top = max {axis -1} %x : f32\n"
                               "  %top.1 = broadcast %top : f32[64]\n"
                               "  %r = fma %d, %root.1, %top.1 : f32[64]\n";
    const char *text = arena_format(&s->arena,
                                    "func @k(%%X: %s ptr<f32>, %%Out: %s ptr<f32>) {\n%s"
                                    "  %%o0 = addptr %%%s, %%first : ptr<f32>\n"
                                    "  %%o1 = broadcast %%o0 : ptr<f32>[64]\n"
                                    "  %%o2 = addptr %%o1, %%i : ptr<f32>[64]\n"
                                    "  store %%o2, %%r\n%s"
                                    "  return\n"
                                    "}\n",
                                    x, out, body, out_name, tail);
    return read_text(s, text);
}

static struct state *state_new(void)
{
    struct state *s = calloc(1, sizeof *s);
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    diagnostics_init(&s->diagnostics, &s->arena);
    return s;
}

static void state_free(struct state *s)
{
    arena_free(&s->arena);
    free(s);
}

/* How often a word stands in the output, which no NUL ends. */
static int count_word(const struct cpu_output *output, const char *word)
{
    int count = 0;
    const char *text = output->bytes;
    size_t length = strlen(word);
    for (size_t at = 0; at + length <= output->size; at++)
        count += memcmp(text + at, word, length) == 0;
    return count;
}

/* How often a word stands in the code of one variant; fetching: see cpu.h. */
static int count_fetching(struct state *s, const struct ir_kernel *kernel, const char *level,
                          const enum cpu_fetching *fetching, unsigned variant, const char *word)
{
    struct cpu_options options = {
        .level = level, .variants = 1u << variant, .symbol = "k", .fetching = fetching};
    struct cpu_output output;
    assert_true(tilec_cpu_module()->compile(kernel, &options, CPU_LLVM_IR, &s->arena,
                                            &s->diagnostics, &output));
    int count = count_word(&output, word);
    free(output.bytes);
    return count;
}

static int count_in_code(struct state *s, const struct ir_kernel *kernel, const char *level,
                         unsigned variant, const char *word)
{
    return count_fetching(s, kernel, level, NULL, variant, word);
}

/* Code is looked at, not run, so the levels need not be this machine's. */
static const char *const levels[] = {"x86-64-v3", "x86-64-v4"};
enum { LEVELS = sizeof levels / sizeof *levels };

struct expected {
    const char *x, *out, *out_name, *tail;
    unsigned variant;
    int roots[LEVELS];
};

static void expect_roots(const struct expected *e, int level)
{
    struct cpu_level found;
    if (!cpu_level_find(levels[level], &found))
        return; /* another architecture's */
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    const struct ir_kernel *kernel = read_kernel(s, e->x, e->out, e->out_name, e->tail);
    int roots = /* computed per round */
        count_in_code(s, kernel, levels[level], e->variant, "call float @llvm.sqrt");
    if (roots != e->roots[level])
        fail_msg("%s, X %s, Out %s, to %s, variant %u, \"%s\": %d roots, not %d", levels[level],
                 e->x, e->out, e->out_name, e->variant, e->tail, roots, e->roots[level]);
    state_free(s);
}

static void test_where(void **unused)
{
    (void)unused;
    static const struct expected cases[] = {
        {"const restrict", "restrict", "Out", "", 0, {2, 2}},
        {"const", "restrict", "Out", "", 0, {2, 2}},
        /* the arrays may overlap, except in the variant for those that do not */
        {"const", "", "Out", "", 0, {1, 1}},
        {"const", "", "Out", "", CPU_VARIANT_NO_OVERLAP, {2, 2}},
        /* in place: the second run of the last program would read what the first one stored */
        {"restrict", "restrict", "X", "", 0, {1, 1}},
        /* effects that must come once, or in order */
        {"const restrict", "restrict", "Out", "  %old = atomic_add %Out, %root : f32\n", 0, {1, 1}},
        {"const restrict", "restrict", "Out", "  print {\"%f\"} %root\n", 0, {1, 1}},
        /* a light program whose stores stream waits for memory, not for its latencies, however wide
         * the vectors are */
        {"const restrict", "restrict", "Out", "", CPU_VARIANT_STREAMING, {1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int level = 0; level < LEVELS; level++)
            expect_roots(&cases[i], level);
}

static void expect_fetches(const char *name)
{
    struct cpu_level level;
    if (!cpu_level_find(name, &level))
        return;
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    const struct ir_kernel *kernel = read_kernel(s, "const restrict", "restrict", "Out", "");
    int to_first = count_in_code(s, kernel, name, CPU_VARIANT_STREAMING, "i32 0, i32 0, i32 1)");
    int to_second = count_in_code(s, kernel, name, CPU_VARIANT_STREAMING, "i32 0, i32 2, i32 1)");
    assert_int_equal(to_first > 0, level.fetching == CPU_FETCH_NEAR);
    assert_true(to_second > 0); /* where it fetches near: of the pages that it stores to */
    int halves = count_in_code(s, kernel, name, CPU_VARIANT_STREAMING, "lshr i64"); /* of a place */
    assert_int_equal(halves > 0,
                     level.fetching == CPU_FETCH_EARLY || level.fetching == CPU_FETCH_APART);
    bool zen_4 = level.halves && level.vector_bits == 512;
    assert_int_equal(zen_4, level.fetching == CPU_FETCH_DENSE);
    assert_int_equal(level.features.split_avx2, level.fetching == CPU_FETCH_APART); /* Zen 1 */
    state_free(s);
}

static void test_fetches(void **unused)
{
    (void)unused;
    for (int level = 0; level < LEVELS; level++)
        expect_fetches(levels[level]);
    struct cpu_level native;
    if (cpu_level_find("native", &native) && native.features.avx2)
        expect_fetches("native");
}

/* Rows whose mean and sum of squares are exact, so the result is, too. */
static float element(int p, int i)
{
    int v = (p * 7 + i / 2 * 5) % 31;
    return (float)(p - 50 + (i % 2 ? v : -v));
}

static void check_results(const char *level, unsigned variant)
{
    static float x[PROGRAMS * WIDTH], out[PROGRAMS * WIDTH] __attribute__((aligned(64)));
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    const struct ir_kernel *kernel = read_kernel(s, "const restrict", "restrict", "Out", "");
    for (int k = 0; k < PROGRAMS * WIDTH; k++)
        x[k] = element(k / WIDTH, k % WIDTH);
    uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)out};
    const char *why =
        harness_run(kernel, level, variant, arguments, grid, NULL, &s->arena, &s->diagnostics);
    if (why)
        fail_msg("%s", why);
    for (int p = 0; p < PROGRAMS; p++) {
        float top = -1e9f, squares = 0;
        for (int i = 0; i < WIDTH; i++) {
            float d = element(p, i) - (float)(p - 50);
            top = fmaxf(top, element(p, i));
            squares += d * d;
        }
        for (int i = 0; i < WIDTH; i++)
            assert_true(out[p * WIDTH + i] ==
                        fmaf(element(p, i) - (float)(p - 50), sqrtf(squares), top));
    }
    state_free(s);
}

static void test_results(void **unused)
{
    (void)unused;
    for (const char *const *level = harness_levels(); *level; level++) {
        check_results(*level, 0);
        check_results(*level, CPU_VARIANT_STREAMING);
    }
}

struct softmax_case {
    const char *elem;
    uint64_t width;
    bool ragged; /* rows have `width` less the program's first number */
    bool turned; /* results as a square that is turned: the stores read other places than their own
                  */
    int sums;    /* 0: exponentials; else in their place multiples of roots, by so many additions */
};

/* %e of %d: what costs so little that the nest may have copies of its body. */
static const char *roots_of(struct state *s, int sums)
{
    struct text text;
    text_init(&text, &s->arena);
    text_string(&text, "  %size = abs %d : f32[64]\n"
                       "  %e0 = sqrt %size : f32[64]\n");
    for (int i = 1; i <= sums; i++)
        text_format(&text, "  %%e%s = add %%e%d, %%e0 : f32[64]\n",
                    i < sums ? arena_format(&s->arena, "%d", i) : "", i - 1);
    return text.items;
}

/* Out[p, :n] = the softmax of X[p, :n] times a number of the program's. */
static const char *softmax_text(struct state *s, const struct softmax_case *c)
{
    const char *elem = c->elem;
    const char *turn = c->turned ? "  %square = reshape %e : f32[8, 8]\n"
                                   "  %over = trans {1 0} %square : f32[8, 8]\n"
                                   "  %e.1 = reshape %over : f32[64]\n"
                                 : "";
    bool wide = strcmp(elem, "f32") == 0;
    const char *made = c->sums ? roots_of(s, c->sums) : "  %e = exp %d : f32[64]\n";
    const char *load = wide ? "  %x = load %x2, %in, %none : f32[64]\n"
                            : arena_format(&s->arena,
                                           "  %%narrow = load %%x2, %%in, %%none : %s[64]\n"
                                           "  %%x = cast %%narrow : f32[64]\n",
                                           elem);
    const char *store = wide ? "  store %o2, %r, %in\n"
                             : arena_format(&s->arena,
                                            "  %%r.n = cast %%r : %s[64]\n"
                                            "  store %%o2, %%r.n, %%in\n",
                                            elem);
    return arena_format(&s->arena,
                        "func @k(%%X: const restrict ptr<%s>, %%Out: restrict ptr<%s>, "
                        "%%N: i64) {\n%s"
                        "  %%first = mul %%p, %%N : i64\n"
                        "  %%x0 = addptr %%X, %%first : ptr<%s>\n"
                        "  %%x1 = broadcast %%x0 : ptr<%s>[64]\n"
                        "  %%x2 = addptr %%x1, %%i : ptr<%s>[64]\n"
                        "  %%less = sub %%N, %%p0 : i64\n"
                        "  %%n = broadcast %s : i64[64]\n"
                        "  %%in = lt %%i, %%n : bool[64]\n"
                        "  %%none = constant {-inf} : %s[64]\n"
                        "%s"
                        "  %%top = max {axis -1} %%x : f32\n"
                        "  %%top.1 = broadcast %%top : f32[64]\n"
                        "  %%d = sub %%x, %%top.1 : f32[64]\n"
                        "%s"
                        "  %%sum = sum {axis -1} %%e : f32\n"
                        "  %%p.f = cast %%p : f32\n"
                        "  %%part = div %%p.f, %%sum : f32\n"
                        "  %%part.1 = broadcast %%part : f32[64]\n"
                        "%s"
                        "  %%r = mul %%%s, %%part.1 : f32[64]\n"
                        "  %%o0 = addptr %%Out, %%first : ptr<%s>\n"
                        "  %%o1 = broadcast %%o0 : ptr<%s>[64]\n"
                        "  %%o2 = addptr %%o1, %%i : ptr<%s>[64]\n"
                        "%s"
                        "  return\n"
                        "}\n",
                        elem, elem, PLACE, elem, elem, elem, c->ragged ? "%less" : "%N", elem, load,
                        made, turn, c->turned ? "e.1" : "e", elem, elem, elem, store);
}

static struct ir_kernel *read_softmax(struct state *s, const struct softmax_case *c)
{
    return read_text(s, softmax_text(s, c));
}

static void run_softmax(struct state *s, const struct ir_kernel *kernel,
                        const struct harness_way *way, const void *x, void *out, uint64_t width)
{
    uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)out, width};
    memset(out, 0x7f, PROGRAMS * WIDTH * sizeof(float));
    const char *why =
        harness_run_way(kernel, way, arguments, grid, NULL, &s->arena, &s->diagnostics);
    if (why)
        fail_msg("%s", why);
}

/* Rows near their maxima (spread.c) and far from them, in turn. */
static void fill_rows(const struct softmax_case *c, void *x)
{
    for (int k = 0; k < PROGRAMS * WIDTH; k++) {
        int row = k / (int)c->width;
        float value = (float)(k * 37 % 101) / (row % 3 == 1 ? 2 : 16);
        if (strcmp(c->elem, "f32") == 0)
            memcpy((float *)x + k, &value, sizeof value);
        else
            ((uint16_t *)x)[k] =
                strcmp(c->elem, "f16") == 0 ? half_from_double(value) : bfloat_from_double(value);
    }
}

/* In blocks that store past the caches: how many vectors are at most loaded before that; -1: there
 * are no such blocks. What the program before left is one, the row is another: on rows at a
 * distance of 4 KB its load would wait for the store, as its address ends in the same bits. */
static int most_loaded_before(struct state *s, const struct ir_kernel *kernel, const char *level,
                              enum cpu_fetching fetching)
{
    struct cpu_options options = {.level = level,
                                  .variants = 1u << CPU_VARIANT_STREAMING,
                                  .symbol = "k",
                                  .fetching = &fetching};
    struct cpu_output output;
    assert_true(tilec_cpu_module()->compile(kernel, &options, CPU_LLVM_IR, &s->arena,
                                            &s->diagnostics, &output));
    char *text = strndup(output.bytes, output.size), *rest = text;
    free(output.bytes);
    assert_non_null(text);
    int most = -1, loads = 0;
    bool stored = false;
    for (const char *line; (line = strsep(&rest, "\n"));) {
        if (line[0] != ' ') {
            loads = 0;
            stored = false;
        } else if (strstr(line, " = load <")) {
            loads++;
        } else if (strstr(line, "!nontemporal") && !stored) {
            stored = true;
            most = loads > most ? loads : most;
        }
    }
    free(text);
    return most;
}

/* The streaming variant's results are the other's, however lines are fetched; in bfloat, whose sums
 * it may make in another order, the last bit may differ. And a program's are the same whichever
 * others are in one call with it. */
static void check_behind(const char *level, enum cpu_fetching fetching,
                         const struct softmax_case *c)
{
    static uint32_t x[PROGRAMS * WIDTH], want[PROGRAMS * WIDTH];
    static uint32_t got[PROGRAMS * WIDTH] __attribute__((aligned(64)));
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    fill_rows(c, x);
    const struct ir_kernel *kernel = read_softmax(s, c);
    bool is_bfloat = strcmp(c->elem, "bf16") == 0;
    for (unsigned variant = 0; variant <= CPU_VARIANT_STREAMING; variant += CPU_VARIANT_STREAMING) {
        struct harness_way way = {level, &fetching, variant, PROGRAMS};
        run_softmax(s, kernel, &way, x, got, c->width);
        if (variant != 0 && !is_bfloat)
            assert_memory_equal(got, want, sizeof got);
        for (int k = 0; k < 2 * PROGRAMS * WIDTH && variant != 0 && is_bfloat; k++)
            assert_in_range(((uint16_t *)got)[k] - ((uint16_t *)want)[k] + 1, 0, 2);
        memcpy(want, got, sizeof got);
        way.share = 1;
        run_softmax(s, kernel, &way, x, got, c->width);
        assert_memory_equal(got, want, sizeof got);
    }
    int behind =
        count_fetching(s, kernel, level, &fetching, CPU_VARIANT_STREAMING, "%before = phi");
    int leads = count_fetching(s, kernel, level, &fetching, CPU_VARIANT_STREAMING, "\nfirst:");
    if (c->sums == 0) { /* else it depends on what the nest costs */
        bool joins = fetching != CPU_FETCH_PLAIN && fetching != CPU_FETCH_APART;
        assert_int_equal(behind > 0, joins);
        assert_int_equal(leads > 0, fetching == CPU_FETCH_NEAR);
        if (joins && c->width == WIDTH && !c->ragged && !c->turned && strcmp(c->elem, "f32") == 0)
            assert_in_range(most_loaded_before(s, kernel, level, fetching), 2, 100);
    }
    state_free(s);
}

static void test_behind(void **unused)
{
    (void)unused;
    static const char *const elems[] = {"f32", "f16", "bf16"};
    for (const char *const *level = harness_levels(); *level; level++) {
        for (int fetching = 0; fetching < CPU_FETCH_COUNT; fetching++) {
            for (int k = 0; k < 3; k++) {
                const struct softmax_case cases[] = {
                    {elems[k], WIDTH, false, false, 0},
                    {elems[k], WIDTH - 3, false, false, 0}, /* a rest; unaligned stores */
                    {elems[k], WIDTH, true, false, 0},
                    {elems[k], WIDTH, true, true, 0},
                };
                for (int i = 0; i < 4; i++)
                    check_behind(*level, (enum cpu_fetching)fetching, &cases[i]);
                for (int sums = 1; sums < 12; sums += k == 0 ? 1 : 3) {
                    struct softmax_case roots = {elems[k], WIDTH, false, false, sums};
                    check_behind(*level, (enum cpu_fetching)fetching, &roots);
                }
            }
        }
    }
}

/* The text with tiles of 512 for 64. */
static const char *with_long_tiles(struct state *s, const char *text)
{
    struct text result;
    text_init(&result, &s->arena);
    for (const char *at = text; (at = strstr(at, "64")) != NULL; at += 2) {
        if (at[2] != ']' && at[2] != '}')
            continue; /* of i64 */
        text_format(&result, "%.*s512", (int)(at - text), text);
        text = at + 2;
    }
    text_string(&result, text);
    return result.items;
}

/* Zen 1's two vectors of exponentials beside each other (group.c) have the results of single ones,
 * whatever is left of a row behind them. */
static void check_beside(const char *level, const struct softmax_case *c)
{
    static uint32_t x[PROGRAMS * WIDTH], want[PROGRAMS * WIDTH], got[PROGRAMS * WIDTH];
    const enum cpu_fetching plain = CPU_FETCH_PLAIN, apart = CPU_FETCH_APART;
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    fill_rows(c, x);
    const struct ir_kernel *kernel = read_text(s, with_long_tiles(s, softmax_text(s, c)));
    struct harness_way way = {level, &plain, 0, PROGRAMS};
    run_softmax(s, kernel, &way, x, want, c->width);
    way.fetching = &apart;
    run_softmax(s, kernel, &way, x, got, c->width);
    assert_memory_equal(got, want, sizeof got);
    if (strcmp(level, "x86-64-v3") == 0) {
        static const char both[] = "call <16 x float> @llvm.fma.v16f32";
        assert_int_equal(count_fetching(s, kernel, level, &plain, 0, both), 0);
        assert_true(count_fetching(s, kernel, level, &apart, 0, both) > 0);
    }
    state_free(s);
}

static void test_beside(void **unused)
{
    (void)unused;
    static const char *const elems[] = {"f32", "f16"};
    for (const char *const *level = harness_levels(); *level; level++) {
        for (int k = 0; k < 2; k++) {
            for (uint64_t width = WIDTH - 18; width <= WIDTH; width++) {
                struct softmax_case c = {elems[k], width, false, false, 0};
                check_beside(*level, &c);
            }
        }
    }
}

/* Out[p, :n] = (x - mean) * (the sum of all |x - mean|), x = X[p, :n], n = N less the program's
 * first number. */
static struct ir_kernel *read_ragged(struct state *s, const char *elem)
{
    bool wide = strcmp(elem, "f32") == 0;
    const char *text = arena_format(
        &s->arena,
        "func @k(%%X: const restrict ptr<%s>, %%Out: restrict ptr<f32>, %%N: i64) {\n%s"
        "  %%c64 = constant {64} : i64\n"
        "  %%first = mul %%p, %%c64 : i64\n"
        "  %%x0 = addptr %%X, %%first : ptr<%s>\n"
        "  %%x1 = broadcast %%x0 : ptr<%s>[64]\n"
        "  %%x2 = addptr %%x1, %%i : ptr<%s>[64]\n"
        "  %%less = sub %%N, %%p0 : i64\n"
        "  %%n = broadcast %%less : i64[64]\n"
        "  %%in = lt %%i, %%n : bool[64]\n"
        "  %%none = constant {0} : %s[64]\n"
        "  %%%s = load %%x2, %%in, %%none : %s[64]\n"
        "%s"
        "  %%sum = sum {axis -1} %%x : f32\n"
        "  %%part = constant {0.015625} : f32\n"
        "  %%mean = mul %%sum, %%part : f32\n"
        "  %%mean.1 = broadcast %%mean : f32[64]\n"
        "  %%d = sub %%x, %%mean.1 : f32[64]\n"
        "  %%size = abs %%d : f32[64]\n"
        "  %%q = sum {axis -1} %%size : f32\n"
        "  %%root = sqrt %%q : f32\n"
        "  %%root.1 = broadcast %%root : f32[64]\n"
        "  %%r = mul %%d, %%root.1 : f32[64]\n"
        "  %%o0 = addptr %%Out, %%first : ptr<f32>\n"
        "  %%o1 = broadcast %%o0 : ptr<f32>[64]\n"
        "  %%o2 = addptr %%o1, %%i : ptr<f32>[64]\n"
        "  store %%o2, %%r, %%in\n"
        "  return\n"
        "}\n",
        elem, PLACE, elem, elem, elem, elem, wide ? "x" : "narrow", elem,
        wide ? "" : "  %x = cast %narrow : f32[64]\n");
    return read_text(s, text);
}

/* Programs whose rows end elsewhere share the interior of a nest: their sums must come in the order
 * in which each makes them alone. */
static void check_ragged(const char *level, const char *elem, unsigned variant,
                         enum cpu_fetching fetching, uint64_t n)
{
    static float x[PROGRAMS * WIDTH], want[PROGRAMS * WIDTH];
    static float got[PROGRAMS * WIDTH] __attribute__((aligned(64)));
    struct state *s = state_new();
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    for (int k = 0; k < PROGRAMS * WIDTH; k++) {
        float value = 1 / (1 + (float)(k * 37 % 101));
        if (strcmp(elem, "f32") == 0)
            x[k] = value;
        else
            ((uint16_t *)x)[k] =
                strcmp(elem, "f16") == 0 ? half_from_double(value) : bfloat_from_double(value);
    }
    const struct ir_kernel *kernel = read_ragged(s, elem);
    uint64_t arguments[] = {(uintptr_t)x, (uintptr_t)got, n};
    static const int64_t shares[] = {1, 2, 3, PROGRAMS};
    for (int i = 0; i < 4; i++) {
        struct harness_way way = {level, &fetching, variant, shares[i]};
        memset(got, 0, sizeof got);
        const char *why =
            harness_run_way(kernel, &way, arguments, grid, NULL, &s->arena, &s->diagnostics);
        if (why)
            fail_msg("%s", why);
        if (i > 0)
            assert_memory_equal(got, want, sizeof got);
        memcpy(want, got, sizeof got);
    }
    state_free(s);
}

static void test_ragged(void **unused)
{
    (void)unused;
    static const char *const elems[] = {"f32", "f16", "bf16"};
    for (const char *const *level = harness_levels(); *level; level++) {
        for (int k = 0; k < 3; k++) {
            for (uint64_t n = WIDTH; n <= WIDTH + 1; n++) {
                check_ragged(*level, elems[k], 0, CPU_FETCH_PLAIN, n);
                for (int fetching = 0; fetching < CPU_FETCH_COUNT; fetching++)
                    check_ragged(*level, elems[k], CPU_VARIANT_STREAMING,
                                 (enum cpu_fetching)fetching, n);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_where),   cmocka_unit_test(test_fetches),
        cmocka_unit_test(test_results), cmocka_unit_test(test_ragged),
        cmocka_unit_test(test_beside),  cmocka_unit_test(test_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
