/*
 * Look-ups in tables as code of the CPU backend: of each kind of element, of sizes that fit one
 * register, several or none, by indices of each kind, inside and outside, in vectors of a whole
 * number and of few elements and one at a time, on every level that this machine runs.
 */
#include "base/guard.h"
#include "base/text.h"
#include "ir/eval.h"
#include "ir/number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "cpu_harness.h"

enum { COUNT = 67, TABLES = 13 };

static const int sizes[TABLES] = {1, 2, 7, 8, 9, 16, 17, 32, 33, 64, 65, 128, 300};

static const int64_t indices[] = {
    0,  1,  2,   6,   7,    8,    9,     15,          16,        17,        31,           32,
    33, 63, 64,  65,  99,   127,  128,   129,         255,       256,       299,          300,
    -1, -2, -16, 511, -128, 4096, 65536, 0x100000000, INT64_MAX, INT64_MIN, INT64_MIN + 3};

static uint64_t index_of(enum ir_elem elem, int i)
{
    int count = (int)(sizeof indices / sizeof *indices);
    return ir_eval_cast((uint64_t)(i < count ? indices[i] : i - count), IR_I64, elem);
}

static uint64_t entry(enum ir_elem elem, int i)
{
    uint64_t mixed = (uint64_t)(i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (elem == IR_BOOL)
        return mixed >> 63;
    if (ir_is_float(elem)) /* exact in each */
        return ir_eval_from_double((double)(mixed >> 57) - 64, elem);
    return ir_eval_cast(mixed, IR_I64, elem);
}

struct kernel {
    enum ir_elem elem, index;
    bool is_loop;
    uint64_t bits[TABLES][512];
    struct ir_table tables[TABLES];
    struct text text;
};

static void write_table(struct kernel *k, int t)
{
    k->tables[t] = (struct ir_table){NULL, k->elem, sizes[t], k->bits[t]};
    text_format(&k->text, "  table @t%d %s {", t, ir_elems[k->elem].name);
    for (int i = 0; i < sizes[t]; i++) {
        k->bits[t][i] = entry(k->elem, i + t);
        text_string(&k->text, i ? ", " : "");
        ir_element_print(k->bits[t][i], k->elem, &k->text);
    }
    text_string(&k->text, "}\n");
}

/* R[t][i] = table t[X[i]] for each table. */
static void write_kernel(struct kernel *k)
{
    const char *elem = ir_elems[k->elem].name, *index = ir_elems[k->index].name;
    const char *shape = k->is_loop ? "" : "[67]";
    text_format(&k->text, "func @k(%%X: restrict ptr<%s>, %%R: restrict ptr<%s>) {\n", index, elem);
    for (int t = 0; t < TABLES; t++)
        write_table(k, t);
    text_string(&k->text, k->is_loop ? "  %from = constant {0} : i64\n  %to = constant {67} : i64\n"
                                       "  %by = constant {1} : i64\n"
                                       "  for %i = %from to %to step %by {\n"
                                     : "  %i = arange {0 to 67} : i64[67]\n");
    text_format(&k->text,
                "  %%XX = broadcast %%X : ptr<%s>%s\n  %%RR = broadcast %%R : ptr<%s>%s\n", index,
                shape, elem, shape);
    text_format(&k->text, "  %%p = addptr %%XX, %%i : ptr<%s>%s\n  %%x = load %%p : %s%s\n", index,
                shape, index, shape);
    for (int t = 0; t < TABLES; t++) {
        text_format(&k->text, "  %%v%d = lookup {@t%d} %%x : %s%s\n", t, t, elem, shape);
        text_format(&k->text, "  %%c%d = constant {%d} : i64%s\n", t, t * COUNT, shape);
        text_format(&k->text, "  %%o%d = add %%i, %%c%d : i64%s\n", t, t, shape);
        text_format(&k->text, "  %%q%d = addptr %%RR, %%o%d : ptr<%s>%s\n", t, t, elem, shape);
        text_format(&k->text, "  store %%q%d, %%v%d\n", t, t);
    }
    text_string(&k->text, k->is_loop ? "  yield\n  }\n  return\n}\n" : "  return\n}\n");
}

static void run_kernel(struct kernel *k, struct ir_func *func, const char *level,
                       struct arena *arena, struct diagnostics *diagnostics)
{
    static const int64_t grid[3] = {1, 1, 1};
    static uint64_t in[COUNT], out[TABLES * COUNT];
    struct ir_kernel kernel = {.func = func};
    uint64_t arguments[] = {(uintptr_t)in, (uintptr_t)out};
    size_t bytes = ir_elem_bytes(k->elem), index_bytes = ir_elem_bytes(k->index);
    for (int i = 0; i < COUNT; i++) {
        uint64_t index = index_of(k->index, i);
        memcpy((char *)in + (size_t)i * index_bytes, &index, index_bytes);
    }
    memset(out, 0x55, sizeof out);
    const char *why = harness_run(&kernel, level, 0, arguments, grid, NULL, arena, diagnostics);
    if (why)
        fail_msg("%s by %s on level %s: %s %s", ir_elems[k->elem].name, ir_elems[k->index].name,
                 level, why, diagnostics->count ? diagnostics->items[0].message : "");
    for (int i = 0; i < TABLES * COUNT; i++) {
        unsigned faults = 0;
        uint64_t is = 0, index = index_of(k->index, i % COUNT);
        uint64_t wanted = ir_eval_lookup(&k->tables[i / COUNT], k->index, index, &faults);
        memcpy(&is, (char *)out + (size_t)i * bytes, bytes);
        if (is != wanted)
            fail_msg("element %d, %llx, of a table of %d %s by %s on level %s: %llx, not %llx",
                     i % COUNT, (unsigned long long)index, sizes[i / COUNT], ir_elems[k->elem].name,
                     ir_elems[k->index].name, level, (unsigned long long)is,
                     (unsigned long long)wanted);
    }
}

static void check(enum ir_elem elem, enum ir_elem index, bool is_loop)
{
    struct arena arena;
    struct diagnostics diagnostics;
    jmp_buf out_of_memory;
    arena_init(&arena, allocator_default, &out_of_memory);
    if (setjmp(out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&diagnostics, &arena);
    struct kernel *k = ARENA_NEW(&arena, struct kernel);
    *k = (struct kernel){.elem = elem, .index = index, .is_loop = is_loop};
    text_init(&k->text, &arena);
    write_kernel(k);
    struct source_file file = {"lookup.ir", k->text.items, k->text.count};
    for (const char *const *level = harness_levels(); *level; level++) {
        struct ir_func *func = ir_read(&arena, &diagnostics, &file);
        if (!func)
            fail_msg("%s in\n%s", diagnostics.items[0].message, k->text.items);
        run_kernel(k, func, *level, &arena, &diagnostics);
    }
    arena_free(&arena);
}

static void check_all(bool is_loop)
{
    static const uint8_t narrow[] = {IR_U8, IR_I8, IR_I16, IR_I32};
    for (int elem = 0; elem < IR_ELEM_COUNT; elem++) {
        for (int i = 0; i < 4; i++)
            check((enum ir_elem)elem, (enum ir_elem)narrow[i], is_loop);
    }
    check(IR_F32, IR_U16, is_loop);
    check(IR_F32, IR_U32, is_loop);
    check(IR_F32, IR_I64, is_loop);
    check(IR_U8, IR_U64, is_loop);
}

static void vectors(void **unused)
{
    (void)unused;
    check_all(false);
}

static void elements(void **unused)
{
    (void)unused;
    check_all(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vectors), cmocka_unit_test(elements)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
