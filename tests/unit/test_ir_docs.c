/*
 * The tables in docs/ops.md, docs/passes.md and docs/gpu-ir.md are those of the .def files. With
 * TILEC_BLESS=1 in the environment the files are rewritten instead. And tests/ir/every_op.ir, which
 * golden-ir prints and reads, has each op of Tile IR.
 */
#include "ir/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char begin_mark[] = "<!-- table -->\n", end_mark[] = "<!-- end -->\n";

static char *read_file(struct arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot open %s: tests run in the root of the source tree", path);
    char *bytes = arena_alloc(arena, 1 << 20);
    size_t length = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    bytes[length] = '\0';
    return bytes;
}

static void check_table(struct arena *arena, const char *path, const char *table)
{
    char *whole = read_file(arena, path);
    char *begin = strstr(whole, begin_mark), *end = strstr(whole, end_mark);
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen(begin_mark);
    if ((size_t)(end - begin) == strlen(table) && strncmp(begin, table, strlen(table)) == 0)
        return;
    if (!getenv("TILEC_BLESS"))
        fail_msg("the table of %s is not current: run this test with TILEC_BLESS=1", path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%.*s%s%s", (int)(begin - whole), whole, table, end);
    fclose(file);
}

/* ---- ops ------------------------------------------------------------------------------------- */

static const char *const attribute_texts[] = {
    [IR_ATTRIBUTE_NONE] = "",
    [IR_ATTRIBUTE_BITS] = "`{value}`",
    [IR_ATTRIBUTE_AXIS] = "`{axis k}`",
    [IR_ATTRIBUTE_RANGE] = "`{a to b}`",
    [IR_ATTRIBUTE_PERMUTATION] = "`{p0 p1 ..}`",
    [IR_ATTRIBUTE_SCAN] = "`{axis k exclusive}`",
    [IR_ATTRIBUTE_VIEW] = "`{rank r}`",
    [IR_ATTRIBUTE_LAYOUT] = "`{layout ..}`",
    [IR_ATTRIBUTE_TABLE] = "`{@table}`",
    [IR_ATTRIBUTE_TEXT] = "`{\"text\"}`",
    [IR_ATTRIBUTE_NUMBER] = "`{n}`",
    [IR_ATTRIBUTE_SHARED] = "`{\"name\" elements padding n aligned}`",
    [IR_ATTRIBUTE_SCOPE] = "`{threadgroup}` `{device}` `{group}`",
    [IR_ATTRIBUTE_ALIGNMENT] = "`{aligned}` `{packed}`",
    [IR_ATTRIBUTE_ORDER] = "`{rows}` `{columns}`",
    [IR_ATTRIBUTE_MATRICES] = "`{rows n panel m columns n panel m}`",
};

static const char *const rule_texts[] = {
    [IR_RULE_LIKE_FIRST] = "like first",
    [IR_RULE_COMPARE] = "compare",
    [IR_RULE_TEST] = "test",
    [IR_RULE_SELECT] = "select",
    [IR_RULE_CAST] = "cast",
    [IR_RULE_BITCAST] = "bitcast",
    [IR_RULE_ADDRESS] = "address",
    [IR_RULE_SPECIAL] = "own rule",
};

static const struct {
    unsigned flag;
    char letter;
} flag_letters[] = {
    {IR_PURE, 'P'},    {IR_ELEMENTWISE, 'E'}, {IR_COMMUTES, 'C'},   {IR_APPROX, 'A'},
    {IR_READS, 'R'},   {IR_WRITES, 'W'},      {IR_TERMINATOR, 'T'}, {IR_MOVES, 'M'},
    {IR_INTEGER, 'i'}, {IR_FLOAT, 'f'},       {IR_NUMERIC, 'n'},    {IR_LOGIC, 'l'},
};

static void add_letters(struct text *out, unsigned flags, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        if (flags & flag_letters[i].flag)
            text_char(out, flag_letters[i].letter);
    }
}

/* A '|' would end the cell. */
static void add_cell(struct text *out, const char *string)
{
    text_string(out, " ");
    for (const char *c = string; *c; c++) {
        if (*c == '|')
            text_char(out, '\\');
        text_char(out, *c);
    }
    text_string(out, " |");
}

static void add_op(struct text *out, const struct ir_op_info *op)
{
    text_format(out, "| `%s` |", op->name);
    if (op->most < 0)
        text_format(out, " %d.. |", op->least);
    else if (op->least != op->most)
        text_format(out, " %d..%d |", op->least, op->most);
    else
        text_format(out, " %d |", op->least);
    add_cell(out, attribute_texts[op->attribute]);
    add_cell(out, rule_texts[op->rule]);
    text_char(out, ' ');
    add_letters(out, op->flags, 0, 8);
    text_string(out, " | ");
    add_letters(out, op->flags, 8, 12);
    text_string(out, " |");
    add_cell(out, op->meaning);
    text_char(out, '\n');
}

static void ops_are_current(void **state)
{
    (void)state;
    jmp_buf out_of_memory;
    struct arena arena;
    struct text table;
    arena_init(&arena, allocator_default, &out_of_memory);
    text_init(&table, &arena);
    text_string(&table, "| op | operands | attributes | types | flags | elements | meaning |\n"
                        "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < IR_OP_COUNT; i++)
        add_op(&table, &ir_ops[i]);
    check_table(&arena, "docs/ops.md", table.items);
    arena_free(&arena);
}

/* ---- passes ---------------------------------------------------------------------------------- */

static void add_pass(struct text *out, const char *name, const char *needs, const char *keeps,
                     const char *meaning)
{
    text_format(out, "| `%s` |", name);
    add_cell(out, strcmp(needs, "0") == 0 ? "" : needs);
    add_cell(out, keeps);
    add_cell(out, meaning);
    text_char(out, '\n');
}

static void passes_are_current(void **state)
{
    (void)state;
    jmp_buf out_of_memory;
    struct arena arena;
    struct text table;
    arena_init(&arena, allocator_default, &out_of_memory);
    text_init(&table, &arena);
    text_string(&table, "| pass | needs | keeps | meaning |\n|---|---|---|---|\n");
#define PASS(name, needs, keeps, meaning) add_pass(&table, #name, #needs, #keeps, meaning);
#include "opt/passes.def"
#undef PASS
    check_table(&arena, "docs/passes.md", table.items);
    arena_free(&arena);
}

/* GPU IR: its ops, then its passes, in one block. */
static void gpu_is_current(void **state)
{
    (void)state;
    jmp_buf out_of_memory;
    struct arena arena;
    struct text table;
    arena_init(&arena, allocator_default, &out_of_memory);
    text_init(&table, &arena);
    text_string(&table, "| op | operands | attributes | types | flags | elements | meaning |\n"
                        "|---|---|---|---|---|---|---|\n");
    for (int i = IR_OP_COUNT; i < (int)GPU_OP_END; i++)
        add_op(&table, &ir_ops[i]);
    text_string(&table, "\n| pass | meaning |\n|---|---|\n");
#define PASS(name, meaning)                                                                        \
    text_format(&table, "| `%s` |", #name);                                                        \
    add_cell(&table, meaning);                                                                     \
    text_char(&table, '\n');
#define BEFORE(name, meaning) PASS(name, meaning)
#define MATRIX(name, meaning) PASS(name, meaning)
#include "gpu/passes.def"
#undef MATRIX
#undef BEFORE
#undef PASS
    check_table(&arena, "docs/gpu-ir.md", table.items);
    arena_free(&arena);
}

/* ---- every op -------------------------------------------------------------------------------- */

static bool mark_op(struct ir_op *op, void *marks)
{
    ((bool *)marks)[op->code] = true;
    return true;
}

static void every_op_is_read(void **state)
{
    (void)state;
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    bool marks[IR_OP_COUNT] = {false};
    arena_init(&arena, allocator_default, &out_of_memory);
    diagnostics_init(&diagnostics, &arena);
    char *text = read_file(&arena, "tests/ir/every_op.ir"), *expected = strstr(text, "\n---\n");
    assert_non_null(expected);
    struct source_file file = {"every_op.ir", text, (size_t)(expected - text)};
    struct ir_func *func = ir_read(&arena, &diagnostics, &file);
    assert_non_null(func);
    ir_walk(func->body, mark_op, marks);
    for (int i = 0; i < IR_OP_COUNT; i++) {
        if (!marks[i])
            fail_msg("no '%s' in tests/ir/every_op.ir", ir_ops[i].name);
    }
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ops_are_current),
        cmocka_unit_test(passes_are_current),
        cmocka_unit_test(gpu_is_current),
        cmocka_unit_test(every_op_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
