/*
 * Every elementwise op and conversion on every element type (op_values.h) as code of the CPU
 * backend, in vectors and one element at a time, on every level that this machine runs.
 */
#include "base/guard.h"
#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cpu_harness.h"
#include "op_values.h"

enum {
    USED = 253, /* elements that are computed: no whole number of vectors */
    MOST_CASES = 128,
    POINTERS = 4 + IR_ELEM_COUNT, /* X, Y, Z, conditions; results, by element */
};

/* One kernel: all cases whose operands have one element. */
struct kernel {
    enum ir_elem from;
    bool is_loop;
    struct text text;
    int values;
    struct op_case cases[MOST_CASES];
    int place[MOST_CASES]; /* of the results among those of their element */
    int case_count, used[IR_ELEM_COUNT];
};

static const char *elem_name(enum ir_elem elem)
{
    return ir_elems[elem].name;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The number of a new value, computed as the text behind it says. */
static int define(struct kernel *k)
{
    text_format(&k->text, "  %%v%d = ", k->values);
    return k->values++;
}

static const char *shape(const struct kernel *k)
{
    return k->is_loop ? "" : "[253]";
}

/* The elements of a parameter from `first` on. */
static int address(struct kernel *k, const char *parameter, int first, const char *elem)
{
    int offset = define(k);
    text_format(&k->text, "constant {%d} : i64\n", first);
    int start = define(k);
    text_format(&k->text, "addptr %%%s, %%v%d : ptr<%s>\n", parameter, offset, elem);
    if (!k->is_loop) {
        int tile = define(k);
        text_format(&k->text, "broadcast %%v%d : ptr<%s>[253]\n", start, elem);
        start = tile;
    }
    int all = define(k);
    text_format(&k->text, "addptr %%v%d, %%i : ptr<%s>%s\n", start, elem, shape(k));
    return all;
}

static int loaded(struct kernel *k, const char *parameter, const char *elem)
{
    int from = address(k, parameter, 0, elem), v = define(k);
    text_format(&k->text, "load %%v%d : %s%s\n", from, elem, shape(k));
    return v;
}

static bool has_elem(void *user, enum ir_elem elem)
{
    (void)user;
    (void)elem;
    return true;
}

static void add_case(void *user, enum ir_opcode code, enum ir_elem from, enum ir_elem to)
{
    static const char *const names[] = {"X", "Y", "Z"};
    struct kernel *k = user;
    if (from != k->from || code == IR_OP_LOOKUP) /* test_cpu_lookup.c */
        return;
    assert_true(k->case_count < MOST_CASES);
    int operands[3] = {0}, count = ir_ops[code].most, place = k->used[to]++;
    for (int i = 0; i < count; i++) {
        bool condition = code == IR_OP_SELECT && i == 0;
        operands[i] = condition ? loaded(k, "C", "bool") : loaded(k, names[i], elem_name(from));
    }
    int result = define(k);
    text_format(&k->text, "%s %%v%d", ir_ops[code].name, operands[0]);
    for (int i = 1; i < count; i++)
        text_format(&k->text, ", %%v%d", operands[i]);
    text_format(&k->text, " : %s%s\n", elem_name(to), shape(k));
    int at = address(k, elem_name(to), place * COUNT, elem_name(to));
    text_format(&k->text, "  store %%v%d, %%v%d\n", at, result);
    k->place[k->case_count] = place;
    k->cases[k->case_count++] = (struct op_case){.code = code, .from = from, .to = to};
}

static void write_kernel(struct kernel *k)
{
    text_format(&k->text, "func @k(%%X: ptr<%s>, %%Y: ptr<%s>, %%Z: ptr<%s>, %%C: ptr<bool>",
                elem_name(k->from), elem_name(k->from), elem_name(k->from));
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++)
        text_format(&k->text, ", %%%s: restrict ptr<%s>", ir_elems[elem].name, ir_elems[elem].name);
    text_string(&k->text, ") {\n");
    text_string(&k->text, k->is_loop
                              ? "  %from = constant {0} : i64\n  %to = constant {253} : i64\n"
                                "  %by = constant {1} : i64\n"
                                "  for %i = %from to %to step %by {\n"
                              : "  %i = arange {0 to 253} : i64[253]\n");
    for_all_cases(has_elem, add_case, k);
    text_string(&k->text, k->is_loop ? "  yield\n  }\n  return\n}\n" : "  return\n}\n");
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void check_results(const struct kernel *k, uint64_t operands[3][COUNT],
                          const unsigned char *const *results)
{
    for (int n = 0; n < k->case_count; n++) {
        const struct op_case *c = &k->cases[n];
        size_t bytes = ir_elem_bytes(c->to);
        for (int i = 0; i < USED; i++) {
            uint64_t of[3] = {operands[0][i], operands[1][i], operands[2][i]}, is = 0;
            of[0] = c->code == IR_OP_SELECT ? operand(c, 0, i) : of[0];
            memcpy(&is, results[c->to] + (size_t)(k->place[n] * COUNT + i) * bytes, bytes);
            check_element(c, of, is);
        }
    }
}

static void run_kernel(struct kernel *k, struct ir_func *func, const char *level,
                       struct arena *arena, struct diagnostics *diagnostics)
{
    static const int64_t grid[3] = {1, 1, 1};
    static uint64_t memory[4][COUNT], operands[3][COUNT];
    struct ir_kernel kernel = {.func = func};
    uint64_t arguments[POINTERS];
    unsigned char *results[IR_ELEM_COUNT];
    struct op_case plain = {.code = IR_OP_ADD, .from = k->from}, choice = {.code = IR_OP_SELECT};
    size_t bytes = ir_elem_bytes(k->from);
    for (int i = 0; i < 4; i++)
        arguments[i] = (uintptr_t)memory[i];
    for (int i = 0; i < COUNT; i++) {
        for (int which = 0; which < 3; which++) {
            operands[which][i] = operand(&plain, which, i);
            memcpy((char *)memory[which] + (size_t)i * bytes, &operands[which][i], bytes);
        }
        ((unsigned char *)memory[3])[i] = (unsigned char)operand(&choice, 0, i);
    }
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++) {
        results[elem] = calloc((size_t)(k->used[elem] + 1) * COUNT, 8);
        arguments[4 + elem] = (uintptr_t)results[elem];
    }
    const char *why = harness_run(&kernel, level, 0, arguments, grid, NULL, arena, diagnostics);
    if (why)
        fail_msg("%s on level %s: %s %s", elem_name(k->from), level, why,
                 diagnostics->count ? diagnostics->items[0].message : "");
    check_results(k, operands, (const unsigned char *const *)results);
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++)
        free(results[elem]);
}

static void check_elem(enum ir_elem elem, bool is_loop)
{
    struct arena arena;
    struct diagnostics diagnostics;
    jmp_buf out_of_memory;
    arena_init(&arena, allocator_default, &out_of_memory);
    if (setjmp(out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&diagnostics, &arena);
    struct kernel *k = ARENA_NEW(&arena, struct kernel);
    *k = (struct kernel){.from = elem, .is_loop = is_loop};
    text_init(&k->text, &arena);
    write_kernel(k);
    struct source_file file = {"ops.ir", k->text.items, k->text.count};
    for (const char *const *level = harness_levels(); *level; level++) {
        struct ir_func *func = ir_read(&arena, &diagnostics, &file); /* code changes it */
        if (!func)
            fail_msg("%s in\n%s", diagnostics.items[0].message, k->text.items);
        run_kernel(k, func, *level, &arena, &diagnostics);
    }
    arena_free(&arena);
}

static void vectors(void **unused)
{
    (void)unused;
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++)
        check_elem((enum ir_elem)elem, false);
}

static void elements(void **unused)
{
    (void)unused;
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++)
        check_elem((enum ir_elem)elem, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
