/*
 * What is said beside errors of syntax. Kernels without a fault get one: a token goes, or another
 * takes its place. Of whatever is then said beyond the parser's errors nothing can be right: it is
 * a follow-up of the one mistake.
 */
#include "base/diagnostics.h"
#include "lang/lang.h"
#include "lang/lexer.h"
#include "lang/parser.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct count {
    size_t syntax, all;
};

/* Errors of the parser alone, and of all; false where one is of neither (the preprocessor's). */
static bool count_errors(const char *text, size_t length, struct count *count, char *said,
                         size_t room)
{
    struct source_file file = {.name = "broken.tile.c", .text = text, .length = length};
    struct lang_includer includer = {0};
    struct diagnostics diagnostics;
    struct arena arena;
    jmp_buf failure;
    arena_init(&arena, allocator_default, &failure);
    if (setjmp(failure)) {
        arena_free(&arena);
        return false;
    }
    struct parser parser;
    diagnostics_init(&diagnostics, &arena);
    parser_init(&parser, &arena, &diagnostics,
                preprocess_new(&arena, &diagnostics, &file, NULL, 0, includer));
    parser_unit(&parser);
    count->syntax = diagnostics.error_count;
    diagnostics_init(&diagnostics, &arena);
    struct lang_unit *unit = lang_parse(&arena, &diagnostics, &file, NULL, 0, includer);
    if (unit) /* a kernel without a fault has none in what is said of broken ones, either */
        lang_check_further(unit, &diagnostics, 0);
    count->all = diagnostics.error_count;
    struct text out;
    text_init(&out, &arena);
    for (size_t i = 0; i < diagnostics.count; i++)
        diagnostics_print(&diagnostics.items[i], &out);
    snprintf(said, room, "%s", out.items ? out.items : "");
    arena_free(&arena);
    return true;
}

static char *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 16);
    *length = fread(text, 1, (1 << 16) - 1, file);
    text[*length] = '\0';
    char *expected = strstr(text, "\n---\n"); /* of a golden test */
    if (expected)
        *length = (size_t)(expected + 1 - text);
    fclose(file);
    return text;
}

static size_t broken_texts, follow_ups;

static void check_broken(const char *name, const char *text, size_t length, const char *what)
{
    struct count count;
    char said[4000];
    if (!count_errors(text, length, &count, said, sizeof said) || count.syntax == 0)
        return; /* its syntax is right */
    broken_texts++;
    if (count.all == count.syntax)
        return;
    if (follow_ups++ % 5 == 0)
        print_message("%s, %s: %zu errors of syntax, %zu in all:\n%s\n", name, what, count.syntax,
                      count.all, said);
}

static void break_file(const char *name)
{
    static const char replacements[] = " ;(){},+";
    struct source_file file = {.name = name};
    struct lexer lexer;
    struct count count;
    char said[4000], what[200];
    char *text = read_file(name, &file.length);
    file.text = text;
    if (count_errors(text, file.length, &count, said, sizeof said) && count.all == 0) {
        struct arena arena;
        jmp_buf nowhere;
        arena_init(&arena, allocator_default, &nowhere);
        lexer_init(&lexer, &file, &arena, NULL);
        int index = 0;
        for (struct token token = lexer_next(&lexer); token.kind != TOKEN_END;
             token = lexer_next(&lexer)) {
            /* Every other one, for time's sake; all of them gave no follow-up, either. */
            for (const char *to = replacements + index++ % 2; *to; to += to[1] ? 2 : 1) {
                char *broken = malloc(file.length + 1);
                memcpy(broken, text, file.length);
                memset(broken + token.range.begin, ' ', token.range.end - token.range.begin);
                broken[token.range.begin] = *to;
                snprintf(what, sizeof what, "'%.*s' of byte %u became '%c'",
                         token.length > 50 ? 50 : (int)token.length, token.text, token.range.begin,
                         *to);
                check_broken(name, broken, file.length, what);
                free(broken);
            }
        }
        arena_free(&arena);
    }
    free(text);
}

static void test_no_follow_ups(void **state)
{
    (void)state;
    static const char *const patterns[] = {"kernels/*.tile.c", "tests/lang/*.tile.c"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        for (size_t k = 0; k < found.gl_pathc; k++)
            break_file(found.gl_pathv[k]);
        globfree(&found);
    }
    print_message("%zu broken texts\n", broken_texts);
    assert_true(broken_texts > 1000);
    assert_int_equal(follow_ups, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_follow_ups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
