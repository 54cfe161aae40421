/* Lexer and preprocessor: what tokens come out, as one line of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "lang/preprocess.h"

#include <string.h>

struct fixture {
    struct arena arena;
    jmp_buf nowhere;
    struct diagnostics diagnostics;
    struct lang_define defines[2];
    int define_count;
};

static int set_up(void **state)
{
    static struct fixture f;
    arena_init(&f.arena, allocator_default, &f.nowhere);
    diagnostics_init(&f.diagnostics, &f.arena);
    f.define_count = 0;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    arena_free(&f->arena);
    return 0;
}

static bool read_file(void *user, struct arena *arena, const char *from, const char *name,
                      struct source_file *out, const char **message)
{
    (void)user, (void)arena, (void)from;
    if (strcmp(name, "missing.h") == 0) {
        *message = "no such file";
        return false;
    }
    static const char once[] = "#pragma once\nONCE", plain[] = "PLAIN";
    const char *text = strcmp(name, "once.h") == 0 ? once : plain;
    *out = (struct source_file){name, text, strlen(text)};
    return true;
}

/* All tokens, separated by blanks, or the first message. */
static const char *process(void **state, const char *text)
{
    struct fixture *f = *state;
    struct source_file *file = ARENA_NEW(&f->arena, struct source_file);
    *file = (struct source_file){"test.c", text, strlen(text)};
    struct lang_includer includer = {read_file, NULL};
    diagnostics_init(&f->diagnostics, &f->arena);
    struct preprocessor *pp =
        preprocess_new(&f->arena, &f->diagnostics, file, f->defines, f->define_count, includer);
    struct text out;
    text_init(&out, &f->arena);
    for (struct token t = preprocess_next(pp); t.kind != TOKEN_END; t = preprocess_next(pp)) {
        if (out.count)
            text_char(&out, ' ');
        text_append(&out, t.text, t.length);
    }
    return f->diagnostics.error_count ? f->diagnostics.items[0].message : out.items;
}

#define EXPECT(text, wanted) assert_string_equal(process(state, (text)), (wanted))

static void splits_tokens(void **state)
{
    EXPECT("a+++b<<=c>=d...", "a ++ + b <<= c >= d ...");
    EXPECT("1e-3f 0x1p+4 .5 1'000 1.5.2 x1", "1e-3f 0x1p+4 .5 1'000 1.5.2 x1");
    EXPECT("a/**/b//c\nd /* x\n y */ e", "a b d e");
    EXPECT("a \\\nb \"x\\\"y\" 'z'", "a b \"x\\\"y\" 'z'");
    EXPECT("", "");
    EXPECT("\xef\xbb\xbf#define A b\nA", "b"); /* a byte order mark */
    EXPECT("// comment \\\n goes on\nx", "x");
}

/* A backslash joins lines before there are words. */
static void joins_lines_within_tokens(void **state)
{
    EXPECT("ab\\\ncd 12\\\n34 <\\\n<\\\r\n= .\\\n.\\\n.", "abcd 1234 <<= ...");
    EXPECT("\"a\\\nb\" '\\\\\nn'", "\"ab\" '\\n'");
    EXPECT("a /\\\n/ b\nc /\\\n* d *\\\n/ e", "a c e");
    EXPECT("#def\\\nine AB\\\nC 1\nA\\\nBC ABC", "1 1");
    EXPECT("#define F\\\n(x) [x]\nF(1)", "[ 1 ]");
    EXPECT("#define S(x) #x\nS(ab\\\ncd \"e\\\nf\")", "\"abcd \\\"ef\\\"\"");
    EXPECT("\\\n", "");
    EXPECT("a\\\n", "a");
}

static void reads_digraphs(void **state)
{
    EXPECT("%:define A(x) %:x\nA(b) <: :> <% %> %:%:", "\"b\" <: :> <% %> %:%:");
    EXPECT("#define P(x, y) x %:%: y\nP(a, b)", "ab");
}

static void expands_objects(void **state)
{
    EXPECT("#define A 1\n#define B A + A\nB", "1 + 1");
    EXPECT("#define A A + B\n#define B A\nA", "A + A");
    EXPECT("#define A 1\n#undef A\nA", "A");
    EXPECT("#define E\nE x E", "x");
    EXPECT("#define LONG 1 + \\\n 2\nLONG", "1 + 2");
}

static void expands_functions(void **state)
{
    EXPECT("#define F(x, y) x * y\nF(1 + 2, (3, 4))", "1 + 2 * ( 3 , 4 )");
    EXPECT("#define F(x) x x\n#define G 7\nF(G)", "7 7");
    EXPECT("#define F(x) [x]\nF(F(F(1)))", "[ [ [ 1 ] ] ]");
    EXPECT("#define F() 1\nF() F ()\n F", "1 1 F");
    EXPECT("#define F(x) 1\nF\n(2)", "1");
    EXPECT("#define S(x) #x\nS(a + \"b\\n\")", "\"a + \\\"b\\\\n\\\"\"");
    EXPECT("#define P(a, b) a##b\nP(x, 1) P(<, <)", "x1 <<");
    EXPECT("#define F(x) G(x)\n#define G(x) F(x)\nF(1)", "F ( 1 )");
    EXPECT("#define F (1)\nF", "( 1 )");
    EXPECT("#define F(x) G(- x)\n#define G(x) #x\n#define H(x) S(F(x)x)\n#define S(x) G(x)\n"
           "F(a) H(b)",
           "\"- a\" \"\\\"- b\\\"b\"");
}

/* What stood before a macro that expands to nothing is one blank of a quoted argument. */
static void quotes_blanks_of_nothing(void **state)
{
#define QUOTES "#define S(x) #x\n#define T(x) S(x)\n#define E\n#define F()\n#define G(x) x\n"
    EXPECT(QUOTES "T([ E]) T([E ]) T([E]) T(- E-) T( -E-)",
           "\"[ ]\" \"[ ]\" \"[]\" \"- -\" \"--\"");
    EXPECT(QUOTES "T([ F()]) T([ G()]) T([G( )]) T(a G(E)b) T(a\nE\nF ( )b)",
           "\"[ ]\" \"[ ]\" \"[]\" \"a b\" \"a b\"");
    EXPECT(QUOTES "T(a E) T(E a E) T(x E(y)) T([E E]) S(a E b)",
           "\"a\" \"a\" \"x (y)\" \"[ ]\" \"a E b\"");
}

/* An empty argument beside ## is no token, but not nothing, either. */
static void pastes_empty_arguments(void **state)
{
    EXPECT("#define P(a, b) x a ## b y\nP(, c) P(c, ) P(, ) P(c, d) P(c e, f g)",
           "x c y x c y x y x cd y x c ef g y");
    EXPECT("#define P(a, b, c) a ## b ## c\nP(1, 2, 3) P(, 2, 3) P(1, , 3) P(1, 2, ) P(, , )",
           "123 23 13 12");
    EXPECT("#define H # ## #\n#define S(a) #a\n#define B(a) S(a)\n#define J(c, d) B(c H d)\n"
           "J(x, y)",
           "\"x ## y\"");
    EXPECT("#define L(x) a ## #x\nL(b)", "pasting 'a' and '\"b\"' does not give one token");
}

static void expands_variadic(void **state)
{
    EXPECT("#define F(...) f(__VA_ARGS__)\nF() F(1) F(1, (2, 3), 4)",
           "f ( ) f ( 1 ) f ( 1 , ( 2 , 3 ) , 4 )");
    EXPECT("#define F(a, ...) [a|__VA_ARGS__]\nF(1) F(1, ) F(1, 2, 3) F()",
           "[ 1 | ] [ 1 | ] [ 1 | 2 , 3 ] [ | ]");
    EXPECT("#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\n#define E\nF(1) F(1, E) F(1, 2)",
           "f ( 1 ) f ( 1 ) f ( 1 , 2 )");
    EXPECT("#define S(...) #__VA_ARGS__\nS() S( a , b ) S(\"x\", 'c')",
           "\"\" \"a , b\" \"\\\"x\\\", 'c'\"");
    EXPECT("#define P(a, ...) a ## __VA_ARGS__\nP(x, y, z) P(x) P(, y)", "xy , z x y");
    EXPECT("#define G(x) <x>\n#define F(...) __VA_OPT__(G(__VA_ARGS__))\nF() F(1) F(G(2))",
           "< 1 > < < 2 > >");
    EXPECT("#define F(a, b, ...) 1\nF(1)", "macro 'F' takes at least 2 arguments, but 1 is given");
}

/* Examples of C23, 6.10.5.1. */
static void expands_optional_as_c(void **state)
{
    EXPECT("#define F(...) f(0 __VA_OPT__(,) __VA_ARGS__)\n#define EMP\nF(a, b, c) F() F(EMP)",
           "f ( 0 , a , b , c ) f ( 0 ) f ( 0 )");
    EXPECT("#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })\nSDEF(foo); "
           "SDEF(bar, 1, 2);",
           "S foo ; S bar = { 1 , 2 } ;");
    EXPECT("#define H2(X, Y, ...) __VA_OPT__(X ## Y,) __VA_ARGS__\nH2(a, b, c, d)", "ab , c , d");
    EXPECT("#define H3(X, ...) #__VA_OPT__(X ## X X ## X)\nH3(, 0)", "\"\"");
    EXPECT("#define H4(X, ...) __VA_OPT__(a X ## X) ## b\nH4(, 1)", "a b");
    EXPECT("#define H5A(...) __VA_OPT__()/**/__VA_OPT__()\n#define H5B(X) a ## X ## b\n"
           "#define H5C(X) H5B(X)\nH5C(H5A())",
           "ab");
}

/* What expansion doubles is bounded for '...' as for every parameter. */
static void bounds_variadic(void **state)
{
    struct fixture *f = *state;
    struct text text;
    text_init(&text, &f->arena);
    text_string(&text, "#define A0(...) __VA_ARGS__, __VA_OPT__(__VA_ARGS__)\n");
    for (int i = 1; i < 40; i++)
        text_format(&text, "#define A%d(...) A%d(__VA_ARGS__, __VA_ARGS__)\n", i, i - 1);
    text_string(&text, "A39(x)");
    text_char(&text, 0);
    assert_non_null(strstr(process(state, text.items), " too "));
}

/* A u8, u, U or L belongs to the quote behind it, and other names do not. */
static void reads_prefixes(void **state)
{
    EXPECT("u8\"a\" L'b' U\"\" u'\\'' R\"c\" u8 \"d\" au\"e\"",
           "u8\"a\" L'b' U\"\" u'\\'' R \"c\" u8 \"d\" au \"e\"");
    EXPECT("#define L(x) x\nL\"L(1)\" L(2)", "L\"L(1)\" 2");
    EXPECT("#define P(a, b) a ## b\nP(L, \"x\") P(u8, 'c')", "L\"x\" u8'c'");
    EXPECT("u\\\n8\"a\"", "u8\"a\"");
    EXPECT("#include L\"plain.h\"", "#include needs a \"file\"");
}

/* In messages and in what is made of names: the line where a macro's call ends. */
static void numbers_lines(void **state)
{
    EXPECT("__LINE__\n__LINE__\\\n __LINE__", "1 2 3");
    EXPECT("#define L(x) __LINE__ x\nL(\n__LINE__\n)", "4 3");
    EXPECT("#define P(a, b) Q(a, b)\n#define Q(a, b) a##b\nP(t, __LINE__)", "t3");
    EXPECT("#if __LINE__ == 1 && defined __LINE__\nyes\n#endif", "yes");
}

/* Never 0 for not being known. */
static void refuses_predefined_names(void **state)
{
    EXPECT("__FILE__", "'__FILE__' is not supported in kernels");
    EXPECT("#if __COUNTER__\n#endif", "'__COUNTER__' is not supported in kernels");
    EXPECT("#if __has_include(<a.h>)\n#endif", "'__has_include' is not supported in kernels");
    EXPECT("#ifdef __has_include\n#if __has_include(<a.h>)\nno\n#endif\n#endif\nyes", "yes");
    EXPECT("#if __STDC_VERSION__ >= 202311L\nyes\n#endif", "yes");
}

static void chooses_branches(void **state)
{
    EXPECT("#if 1 + 1 == 2 && !defined X\nyes\n#else\nno\n#endif", "yes");
    EXPECT("#if 0\nno don't\n#elif 2 > 1\nyes\n#elif 1\nno\n#else\nno\n#endif", "yes");
    EXPECT("#ifdef X\nno\n#endif\n#ifndef X\nyes\n#endif", "yes");
    EXPECT("#if 0\n#if 1\nno\n#else\nno\n#endif\n#endif\nyes", "yes");
    EXPECT("#define N 8\n#if N % 3 == 2 ? N << 1 == 16 : 0\nyes\n#endif", "yes");
    EXPECT("#if defined(INT_MAX) && INT_MAX == 0x7fffffff\nyes\n#endif", "yes");
    EXPECT("#if 0 && 1 / 0\nno\n#endif\nyes", "yes");
    EXPECT("#define A\n#define HAS(x) (defined x || defined(A))\n#if HAS(B) && !defined B\nyes\n"
           "#endif",
           "yes");
    EXPECT("#define A B\n#define B 0\n#if defined A + 1 == 2\nyes\n#endif", "yes");
    EXPECT("#if -9223372036854775807 - 1 < 0 && ~0 == -1\nyes\n#endif", "yes");
}

/* As a C compiler decides, which takes the same kernels. */
static void computes_conditions_as_c(void **state)
{
    EXPECT("#if UINT64_MAX > UINT32_MAX && UINT64_MAX > 0\nyes\n#endif", "yes");
    EXPECT("#if -1 > 0u && 0 - 1u > 0 && -1 == 0xffffffffffffffff\nyes\n#endif", "yes");
    EXPECT("#if -1 < 0xffffffff && -1 < 0 * 1u == 0 && '\\xff' < 0\nyes\n#endif", "yes");
    EXPECT("#if UINT64_MAX / 2 == INT64_MAX && UINT64_MAX % 10 == 5\nyes\n#endif", "yes");
    EXPECT("#if UINT64_MAX >> 63 == 1 && -8 >> 1u == -4 && ~0u >> 63\nyes\n#endif", "yes");
    EXPECT("#if (1 ? -1 : 0u) > 0 && (-1 | 0u) > 0 && !0u - 1 >= 0 && (1u < 2) - 2 < 0\nyes\n"
           "#endif",
           "yes");
    EXPECT("#if INT64_MIN / -1 == INT64_MIN && INT64_MIN % -1 == 0 && -7 / 2 == -3\nyes\n#endif",
           "yes");
}

static void includes_files(void **state)
{
    EXPECT("#include <tilec/kernel.h>\nx", "x");
    EXPECT("#include \"a.h\"\n#include \"a.h\"\nx", "PLAIN PLAIN x");
    EXPECT("#include \"once.h\"\n#include \"once.h\"\nx", "ONCE x");
    EXPECT("#define FILE \"a.h\"\n#include FILE\nx", "PLAIN x");
}

static void reports_missing_file(void **state)
{
    EXPECT("#include \"missing.h\"\nx", "cannot include 'missing.h': no such file");
}

static void reports_arguments(void **state)
{
    EXPECT("#define F(a, b) a\nF(1)", "macro 'F' takes 2 arguments, but 1 is given");
}

static void reports_open_call(void **state)
{
    EXPECT("#define F(a) a\nF(1", "missing ')' after the arguments of macro 'F'");
}

static void reports_error_line(void **state)
{
    EXPECT("#if 1\n#error  do not  \n#endif", "#error do not");
    EXPECT("#error don't \\\r\ndo it\nx", "#error don't do it");
}

static void reports_division(void **state)
{
    EXPECT("#if 1 / 0\n#endif", "division by zero in a condition");
}

static void reports_builtin_macro(void **state)
{
    EXPECT("#define max(a, b) a", "'max' is a built-in and cannot be a macro");
}

static void reports_stray_endif(void **state)
{
    EXPECT("#endif", "#endif without #if");
}

static void defines_from_outside(void **state)
{
    struct fixture *f = *state;
    f->defines[0] = (struct lang_define){"T", "half"};
    f->defines[1] = (struct lang_define){"ON", NULL};
    f->define_count = 2;
    EXPECT("#if ON\nT\n#endif", "half");
}

/* A -D of a constexpr parameter is a value for lowering: only #if sees it as a macro. */
static void keeps_parameters(void **state)
{
    struct fixture *f = *state;
    f->defines[0] = (struct lang_define){"BLOCK", "256"};
    f->define_count = 1;
    EXPECT("tune(k, BLOCK, 1);\n#if BLOCK == 256\nkernel void k(constexpr int BLOCK)\n#endif",
           "tune ( k , BLOCK , 1 ) ; kernel void k ( constexpr int BLOCK )");
}

static void points_to_uses(void **state)
{
    struct fixture *f = *state;
    static const char text[] = "#define F(x) x + 1\ny F(2)";
    struct source_file file = {"test.c", text, strlen(text)};
    struct preprocessor *pp =
        preprocess_new(&f->arena, &f->diagnostics, &file, NULL, 0, (struct lang_includer){0});
    preprocess_next(pp);
    struct token two = preprocess_next(pp), plus = preprocess_next(pp);
    assert_int_equal(two.range.begin, 23); /* an argument keeps its place */
    assert_int_equal(plus.range.begin, 21);
    assert_int_equal(plus.range.end, 25);
    size_t count;
    const struct ast_expansion *expansions = preprocess_expansions(pp, &count);
    assert_int_equal(count, 1);
    assert_int_equal(expansions[0].definition.begin, 8);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(splits_tokens),         TEST(expands_objects),
        TEST(expands_functions),     TEST(quotes_blanks_of_nothing),
        TEST(chooses_branches),      TEST(computes_conditions_as_c),
        TEST(includes_files),        TEST(reports_missing_file),
        TEST(reports_arguments),     TEST(reports_open_call),
        TEST(reports_error_line),    TEST(reports_division),
        TEST(reports_builtin_macro), TEST(reports_stray_endif),
        TEST(defines_from_outside),  TEST(keeps_parameters),
        TEST(points_to_uses),        TEST(joins_lines_within_tokens),
        TEST(reads_digraphs),        TEST(pastes_empty_arguments),
        TEST(expands_variadic),      TEST(expands_optional_as_c),
        TEST(bounds_variadic),       TEST(reads_prefixes),
        TEST(numbers_lines),         TEST(refuses_predefined_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
