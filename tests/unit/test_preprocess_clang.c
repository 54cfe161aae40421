#define _GNU_SOURCE /* mkdtemp */
/*
 * Random texts through the preprocessor and through clang's (-E -std=c23): the same tokens come
 * out, or both refuse. Texts hold macros that call each other, paste and quote, conditions,
 * comments and words that lines joined by a backslash break anywhere. What the language does
 * without (GNU's forms of '...', a directive within arguments, names beyond ASCII) is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/random.h"
#include "lang/preprocess.h"
#include "tests/seeds.h"
#include "tests/skip.h"

/* ---- Texts ----------------------------------------------------------------------------------- */

enum { MOST_PARAMETERS = 3 };

struct writer {
    struct random random;
    struct text text;
    int parameters; /* of the macro whose body is being written */
    bool variadic;  /* that macro: the last parameter is __VA_ARGS__ */
    bool optional;  /* __VA_OPT__ may stand here */
};

static int below(struct writer *w, int count)
{
    return (int)(random_bits(&w->random) % (unsigned)count);
}

static bool chance(struct writer *w, int percent)
{
    return below(w, 100) < percent;
}

static const char *const objects[] = {"A", "B", "C", "D"};
static const char *const functions[] = {"F", "G", "H", "K", "V", "W"};
/* How many arguments each takes, whatever its definition; so few calls are wrong. Those of V and W
 * end in '...'. */
static const int arities[] = {1, 2, 0, 3, 1, 2};
enum { FUNCTIONS = 6, FIRST_VARIADIC = 4 };
static const char *const parameter_names[] = {"x", "y", "B"};

#define ONE_OF(w, array) (array)[below((w), (int)(sizeof(array) / sizeof *(array)))]

static void write_space(struct writer *w)
{
    static const char *const spaces[] = {
        " ", " ", " ", "", "", "\t", "  ", "/**/", " /* , ) # */ "};
    text_string(&w->text, ONE_OF(w, spaces));
}

static const char *plain(struct writer *w)
{
    static const char *const names[] = {"x",  "y", "a", "a1",      "_u",      "L",
                                        "if", "e", "u", "defined", "__LINE__"};
    static const char *const numbers[] = {"1",  "2",      "0x1f", "1e+3", ".5",  "0x1p-2",
                                          "3x", " 1'000", "0b1",  "07",   "1.e", "1..2"};
    static const char *const signs[] = {
        "+", "-", "<", ">", "<=", "<<", "=",   "==", "+=", "&",  "&&", "->", "...", ".",
        ";", "[", "]", "*", "!=", "|",  "<<=", "<:", ":>", "%:", "%>", "^=", "~"};
    static const char *const quoted[] = {"\"\"",    "\"a\\\"b\"", " 'c'",       " '\\''",
                                         "\"\\n\"", " '\\\\'",    "\"a  'b'\"", "\"//\"",
                                         "u8\"a\"", " L'\\''",    "U\"\\\\\""};
    int choice = below(w, 20);
    return choice < 9    ? ONE_OF(w, names)
           : choice < 13 ? ONE_OF(w, numbers)
           : choice < 17 ? ONE_OF(w, signs)
           : choice < 18 ? ONE_OF(w, quoted)
                         : ONE_OF(w, objects);
}

static void write_tokens(struct writer *w, int most, bool lines);

static void write_call(struct writer *w, bool lines)
{
    int which = below(w, FUNCTIONS), count = arities[which];
    if (which >= FIRST_VARIADIC && chance(w, 60))
        count += below(w, 4) - 1;
    if (chance(w, 4))
        count = below(w, 4); /* wrong, perhaps */
    text_string(&w->text, functions[which]);
    if (chance(w, 12))
        return; /* no call */
    text_string(&w->text, chance(w, 80) ? "" : lines && chance(w, 50) ? "\n" : " ");
    text_char(&w->text, '(');
    for (int i = 0; i < count; i++) {
        text_string(&w->text, i ? "," : "");
        if (chance(w, 85))
            write_tokens(w, 3, lines);
    }
    text_char(&w->text, ')');
}

/* A parameter of the macro whose body is being written. */
static const char *parameter(struct writer *w)
{
    int which = below(w, w->parameters);
    return w->variadic && which == w->parameters - 1 ? "__VA_ARGS__" : parameter_names[which];
}

static void write_body(struct writer *w, bool function_like);

/* __VA_OPT__ with a body of its own, wrong at times. */
static void write_optional(struct writer *w)
{
    w->optional = chance(w, 2); /* within itself */
    text_string(&w->text, chance(w, 98) ? "__VA_OPT__" : "__VA_OPT__ x");
    text_string(&w->text, chance(w, 90) ? "(" : " ( ");
    if (chance(w, 1))
        text_string(&w->text, "##");
    write_body(w, true);
    if (chance(w, 1))
        text_string(&w->text, "##");
    text_string(&w->text, chance(w, 99) ? ")" : "");
    w->optional = true;
}

static void write_token(struct writer *w, bool lines)
{
    int choice = below(w, 12);
    if (choice < 3) {
        write_call(w, lines);
    } else if (choice < 4) {
        text_char(&w->text, '(');
        write_tokens(w, 3, lines);
        text_char(&w->text, ')');
    } else if (w->optional && choice < 6) {
        write_optional(w);
    } else if (w->parameters > 0 && choice < 8) {
        text_string(&w->text, parameter(w));
    } else {
        text_string(&w->text, plain(w));
    }
}

/* lines: line ends may stand between tokens, and no '#' behind them. */
static void write_tokens(struct writer *w, int most, bool lines)
{
    if (w->text.count > 3000)
        most = 1;
    for (int i = 1 + below(w, most); i > 0; i--) {
        write_space(w);
        if (lines && chance(w, 6))
            text_string(&w->text, chance(w, 50) ? "\n x" : " // )\n +");
        write_token(w, lines);
        if (chance(w, 20))
            text_char(&w->text, ',');
    }
    write_space(w);
}

/* ---- Directives ------------------------------------------------------------------------------ */

static void write_operand(struct writer *w)
{
    if (w->optional && chance(w, 40))
        write_optional(w);
    else if (w->parameters > 0 && chance(w, 60))
        text_string(&w->text, parameter(w));
    else
        text_string(&w->text, chance(w, 50) ? "a" : chance(w, 50) ? "1" : ONE_OF(w, objects));
}

static void write_body(struct writer *w, bool function_like)
{
    for (int i = below(w, 4); i > 0; i--) {
        int choice = below(w, 10);
        write_space(w);
        if (choice < 2) {
            write_operand(w);
            for (int k = 1 + below(w, 2); k > 0; k--) {
                text_string(&w->text, chance(w, 50) ? " ## " : chance(w, 50) ? "##" : " %:%:");
                write_operand(w);
            }
        } else if (choice < 4 && w->parameters > 0) {
            text_string(&w->text, chance(w, 80) ? "#" : "%: ");
            if (w->optional && chance(w, 30))
                write_optional(w);
            else
                text_string(&w->text, parameter(w));
        } else if (choice < 5 && !function_like) {
            text_string(&w->text, chance(w, 70) ? " #" : " # ## #");
        } else {
            write_tokens(w, 3, false);
        }
    }
}

static void write_define(struct writer *w)
{
    bool function_like = chance(w, 60);
    int which = below(w, function_like ? FUNCTIONS : 4);
    if (chance(w, 15)) {
        text_format(&w->text, "undef %s", function_like ? functions[which] : objects[which]);
        return;
    }
    text_format(&w->text, "define %s", function_like ? functions[which] : objects[which]);
    if (function_like) {
        text_char(&w->text, '(');
        w->parameters = arities[which];
        w->variadic = w->optional = which >= FIRST_VARIADIC;
        for (int i = 0; i < arities[which]; i++) {
            text_string(&w->text, i ? ", " : "");
            text_string(&w->text, w->variadic && i == arities[which] - 1 ? "..." : parameter_names[i]);
        }
        text_string(&w->text, ") ");
    } else {
        text_char(&w->text, ' ');
    }
    write_body(w, function_like);
    w->parameters = 0;
    w->variadic = w->optional = false;
}

static void write_condition(struct writer *w, int depth)
{
    static const char *const numbers[] = {"0",    "1",   "2",      "7",    "0u",
                                          "3u",   "10l", "4ull",   "'a'",  "'\\377'",
                                          "0x7f", "017", "0b101u", "true", "false"};
    static const char *const limits[] = {"2147483647",         "0xffffffff", "9223372036854775807",
                                         "0xffffffffffffffff", "1'000",      "0x8000000000000000"};
    static const char *const operators[] = {
        "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "&", "|", "^"};
    static const char *const signs[] = {"-", "+", "!", "~"};
    static const char *const names[] = {"A", "B", "F", "x", "G", "unknown", "__LINE__"};
    int choice = depth > 3 ? below(w, 5) : below(w, 14);
    write_space(w);
    if (choice < 3) {
        text_string(&w->text, chance(w, 75) ? ONE_OF(w, numbers) : ONE_OF(w, limits));
    } else if (choice < 4) {
        const char *name = ONE_OF(w, names); /* no two draws in one call: C does not order them */
        text_format(&w->text, chance(w, 50) ? "defined %s" : "defined ( %s )", name);
    } else if (choice < 5) {
        text_string(&w->text, chance(w, 50) ? "N" : "M(3)");
    } else if (choice < 6) {
        text_string(&w->text, ONE_OF(w, signs));
        text_char(&w->text, ' ');
        write_condition(w, depth + 1);
    } else if (choice < 7) {
        text_char(&w->text, '(');
        write_condition(w, depth + 1);
        text_char(&w->text, ')');
    } else if (choice < 8) {
        write_condition(w, depth + 1);
        text_string(&w->text, " ? ");
        write_condition(w, depth + 1);
        text_string(&w->text, " : ");
        write_condition(w, depth + 1);
    } else if (choice < 9) { /* C says nothing of other counts */
        text_string(&w->text, "((");
        write_condition(w, depth + 1);
        text_string(&w->text, chance(w, 50) ? ") << ((" : ") >> ((");
        write_condition(w, depth + 1);
        text_string(&w->text, ") & 63))");
    } else {
        write_condition(w, depth + 1);
        text_format(&w->text, " %s ", ONE_OF(w, operators));
        write_condition(w, depth + 1);
    }
}

static void write_lines(struct writer *w, int count, int depth);

static void write_branches(struct writer *w, int depth)
{
    static const char *const forms[][2] = {{"ifdef", "elifdef"}, {"ifndef", "elifndef"}};
    for (int branch = 0; branch == 0 || chance(w, 40); branch++) {
        bool on_name = chance(w, 40);
        text_string(&w->text, chance(w, 90) ? "#" : " %: ");
        const char *name = chance(w, 50) ? ONE_OF(w, objects) : ONE_OF(w, functions);
        if (on_name)
            text_format(&w->text, "%s %s", forms[below(w, 2)][branch > 0], name);
        else
            text_string(&w->text, branch > 0 ? "elif " : "if ");
        if (!on_name)
            write_condition(w, 0);
        text_string(&w->text, chance(w, 90) ? "\n" : " /* a\n b */\n");
        write_lines(w, 3, depth + 1);
        if (chance(w, 10))
            text_string(&w->text, "#if 0\nthis isn't read \" #define A 7\n#else\n#\n#endif\n");
    }
    if (chance(w, 50)) {
        text_string(&w->text, "#else // said\n");
        write_lines(w, 3, depth + 1);
    }
    text_string(&w->text, "#endif\n");
}

static void write_lines(struct writer *w, int count, int depth)
{
    for (int i = 1 + below(w, count); i > 0; i--) {
        int choice = below(w, 10);
        if (choice < 4) {
            text_string(&w->text, chance(w, 85) ? "#" : chance(w, 50) ? "  # " : "/**/%:");
            write_define(w);
            text_char(&w->text, '\n');
        } else if (choice < 6 && depth < 3) {
            write_branches(w, depth);
        } else {
            text_string(&w->text, "t ");
            write_tokens(w, 8, true);
            text_string(&w->text, ";\n");
        }
    }
}

/* Joined lines anywhere, and line ends of either kind. */
static struct text broken(struct writer *w, struct arena *arena)
{
    struct text out;
    text_init(&out, arena);
    int percent = chance(w, 60) ? 0 : 3;
    const char *end = chance(w, 85) ? "\n" : "\r\n";
    if (chance(w, 5))
        text_string(&out, "\xef\xbb\xbf");
    for (size_t i = 0; i < w->text.count; i++) {
        if (chance(w, percent))
            text_format(&out, "\\%s", end);
        if (w->text.items[i] == '\n')
            text_string(&out, end);
        else
            text_char(&out, w->text.items[i]);
    }
    return out;
}

/* numbered: with __LINE__, else with a name in its place. */
static struct text random_text(struct arena *arena, uint64_t seed, bool numbered)
{
    struct writer w = {0};
    random_seed(&w.random, seed);
    text_init(&w.text, arena);
    text_string(&w.text, "#define N 5\n#define M(x) (x - N)\n");
    for (int i = 0; i < 5; i++) { /* most names are macros from the start on */
        text_char(&w.text, '#');
        write_define(&w);
        text_char(&w.text, '\n');
    }
    write_lines(&w, 8, 0);
    static const char line[] = "__LINE__";
    for (size_t i = 0; !numbered && i + strlen(line) <= w.text.count; i++)
        if (memcmp(w.text.items + i, line, strlen(line)) == 0)
            w.text.items[i + 4] = 'X';
    return broken(&w, arena);
}

/* ---- Both sides ------------------------------------------------------------------------------ */

static const char refused[] = "(refused)";

/* The tokens that come out, a line each. */
static const char *ours(struct arena *arena, const struct source_file *file, const char **why)
{
    struct diagnostics diagnostics;
    diagnostics_init(&diagnostics, arena);
    struct preprocessor *pp =
        preprocess_new(arena, &diagnostics, file, NULL, 0, (struct lang_includer){0});
    struct text out;
    text_init(&out, arena);
    for (struct token t = preprocess_next(pp); t.kind != TOKEN_END; t = preprocess_next(pp))
        text_format(&out, "%.*s\n", (int)t.length, t.text);
    *why = "";
    for (size_t i = 0; i < diagnostics.count; i++)
        if (diagnostics.items[i].kind == DIAGNOSTIC_ERROR)
            *why = diagnostics.items[i].message;
    return diagnostics.error_count ? refused : out.items ? out.items : "";
}

static const char *theirs(struct arena *arena, const char *path)
{
    char command[600];
    snprintf(command, sizeof command,
             "clang-19 -std=c23 -E -P -Wno-everything -Werror=gnu-zero-variadic-macro-arguments -x "
             "c '%s' 2>'%s.said'",
             path, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    struct source_file *file = ARENA_NEW(arena, struct source_file);
    struct text text, out;
    text_init(&text, arena);
    for (int c = getc(pipe); c != EOF; c = getc(pipe))
        text_char(&text, (char)c);
    int status = pclose(pipe);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
    if (status != 0)
        return refused;
    *file = (struct source_file){"theirs", text.items ? text.items : "", text.count};
    struct lexer lexer;
    lexer_init(&lexer, file, arena, NULL);
    text_init(&out, arena);
    for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer))
        text_format(&out, "%.*s\n", (int)t.length, t.text);
    return out.items ? out.items : "";
}

struct sides {
    const char *ours, *theirs, *why;
};

static bool agree(struct arena *arena, struct text text, const char *path, struct sides *sides)
{
    const struct source_file source = {"ours", text.items, text.count};
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text.items, 1, text.count, file), text.count);
    assert_int_equal(fclose(file), 0);
    sides->ours = ours(arena, &source, &sides->why);
    sides->theirs = theirs(arena, path);
    return strcmp(sides->ours, sides->theirs) == 0;
}

/* Leaves out lines that the disagreement does not need; who refuses, and why, stays. */
static struct text smaller(struct arena *arena, struct text text, const char *path,
                           const struct sides *before)
{
    struct sides sides;
    bool refuses = before->ours == refused, accepts = before->theirs != refused;
    for (size_t at = 0; at < text.count;) {
        const char *line = text.items + at, *end = memchr(line, '\n', text.count - at);
        size_t length = end ? (size_t)(end - line) + 1 : text.count - at;
        struct text without;
        text_init(&without, arena);
        text_append(&without, text.items, at);
        text_append(&without, line + length, text.count - at - length);
        if (without.count > 0 && !agree(arena, without, path, &sides) &&
            (sides.ours == refused) == refuses && (sides.theirs != refused) == accepts &&
            strcmp(sides.why, before->why) == 0)
            text = without;
        else
            at += length;
    }
    return text;
}

enum outcome { REFUSED, ACCEPTED, NUMBERED_OTHERWISE };

/* Which line a call over several lines has is left to the compiler: a difference that is gone
 * without __LINE__ is none. */
static enum outcome compare(uint64_t seed, const char *path)
{
    struct arena arena;
    jmp_buf out_of_memory;
    struct sides sides;
    arena_init(&arena, allocator_default, &out_of_memory);
    struct text text = random_text(&arena, seed, true);
    bool same = agree(&arena, text, path, &sides), numbered = true;
    enum outcome outcome = sides.ours == refused ? REFUSED : ACCEPTED;
    if (!same) {
        text = random_text(&arena, seed, false);
        same = agree(&arena, text, path, &sides);
        numbered = false;
    }
    if (!same) {
        text = smaller(&arena, text, path, &sides);
        agree(&arena, text, path, &sides);
        fprintf(stderr, "seed %llu:\n%.*s\n---- ours %s\n%s\n---- clang's\n%s\n",
                (unsigned long long)seed, (int)text.count, text.items, sides.why, sides.ours,
                sides.theirs);
    }
    arena_free(&arena);
    assert_true(same);
    return numbered ? outcome : NUMBERED_OTHERWISE;
}

static void test_random_texts(void **state)
{
    (void)state;
    if (system("clang-19 --version >/dev/null 2>&1") != 0)
        SKIP("clang-19 is not in PATH");
    struct seeds seeds = seeds_of("PREPROCESS", 100);
    char folder[] = "/tmp/tilec-preprocess-XXXXXX", path[sizeof folder + 20];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/text.c", folder);
    uint64_t first, ran = 0, count[NUMBERED_OTHERWISE + 1] = {0};
    while (seeds_take(&seeds, 1, &first)) {
        count[compare(first, path)]++;
        ran++;
    }
    unlink(path);
    strcat(path, ".said");
    unlink(path);
    rmdir(folder);
    assert_true(ran < 20 || count[ACCEPTED] > ran / 3); /* else it looks at little */
    assert_true(count[NUMBERED_OTHERWISE] <= 1 + ran / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_texts)};
    return RUN_TESTS(tests, NULL, NULL);
}
