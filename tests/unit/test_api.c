/*
 * The public interface: what works, and that everything wrong ends in one clear message.
 * Every launch test runs on the interpreter and, where the CPU backend was built, on the CPU.
 */
#include <tilec/tilec.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../skip.h"

static const char add_text[] =
    "launch_grid(add, cdiv(n, BLOCK));\n"
    "kernel void add(const float *X, const float *Y, float *Out, int n, constexpr int BLOCK)\n"
    "{\n"
    "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
    "    store(Out + i, load(X + i, i < n) + load(Y + i, i < n), i < n);\n"
    "}\n";

static tilec_context *context;
static const char *targets[] = {"interp", "cpu"};
static int target_count = 2;

static int set_up(void **state)
{
    (void)state;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_device device;
    if (tilec_context_create(&options, &context) != TILEC_OK)
        return 1;
    if (tilec_device_get(context, 0, &device) == TILEC_OK && !device.available)
        target_count = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tilec_context_destroy(context);
    return 0;
}

static tilec_source source_of(const char *text)
{
    tilec_source source = {.size = sizeof source, .path = "test.tile.c", .text = text};
    return source;
}

static tilec_status compile_with(const char *text, const tilec_define *constants, size_t count,
                                 const char *target, tilec_kernel **kernel)
{
    tilec_source source = source_of(text);
    tilec_compile_options options = {
        .size = sizeof options, .target = target, .constants = constants, .constant_count = count};
    return tilec_compile(context, &source, &options, kernel);
}

static tilec_kernel *compile_add(const char *target)
{
    tilec_define block = {"BLOCK", "64"};
    tilec_kernel *kernel;
    assert_int_equal(compile_with(add_text, &block, 1, target, &kernel), TILEC_OK);
    return kernel;
}

static const char *message(size_t index)
{
    tilec_diagnostic diagnostic;
    assert_int_equal(tilec_diagnostic_get(context, index, &diagnostic), TILEC_OK);
    return diagnostic.message;
}

static void expect_message(const char *text)
{
    assert_int_equal(tilec_diagnostic_count(context), 1);
    assert_string_equal(message(0), text);
}

/* ---- small things ---------------------------------------------------------------------------- */

static void names_and_sizes(void **state)
{
    (void)state;
    tilec_type type;
    assert_string_equal(tilec_version(), "0.1.0");
    assert_string_equal(tilec_type_name(TILEC_BF16), "bf16");
    assert_null(tilec_type_name((tilec_type)13));
    assert_int_equal(tilec_type_size(TILEC_BOOL), 1);
    assert_int_equal(tilec_type_size((tilec_type)-1), 0);
    assert_int_equal(tilec_type_find("u16", &type), TILEC_OK);
    assert_int_equal(type, TILEC_U16);
    assert_int_equal(tilec_type_find("int", &type), TILEC_ERROR_NOT_FOUND);
    assert_int_equal(tilec_type_find(NULL, &type), TILEC_ERROR_INVALID);
    assert_string_equal(tilec_status_string(TILEC_ERROR_GRID), "the grid does not fit");
    assert_string_equal(tilec_status_string((tilec_status)99), "unknown status");
    assert_int_equal(tilec_int(TILEC_I8, -1).bits, 0xff);
    assert_int_equal(tilec_int(TILEC_BOOL, 8).bits, 1);
    assert_true(tilec_int(TILEC_I64, -1).bits == UINT64_MAX);
    assert_int_equal(tilec_float(TILEC_F16, 1).bits, 0x3c00);
    assert_int_equal(tilec_float(TILEC_BF16, 1).bits, 0x3f80);
    assert_int_equal(tilec_float(TILEC_F32, 1).bits, 0x3f800000);
    assert_true(tilec_float(TILEC_F64, 1).bits == 0x3ff0000000000000);
}

static void null_everywhere(void **state)
{
    (void)state;
    tilec_kernel *kernel = NULL;
    tilec_program *program = NULL;
    tilec_source source = source_of(add_text);
    tilec_context_options options = {.size = 1};
    tilec_context *other;
    assert_int_equal(tilec_context_create(NULL, NULL), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_context_create(&options, &other), TILEC_ERROR_INVALID);
    assert_null(other);
    assert_int_equal(tilec_compile(NULL, &source, NULL, &kernel), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_compile(context, NULL, NULL, &kernel), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_compile(context, &source, NULL, NULL), TILEC_ERROR_INVALID);
    source.text = source.path = NULL;
    assert_int_equal(tilec_program_create(context, &source, &program), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_program_compile(NULL, NULL, &kernel), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_launch(NULL, NULL, NULL, 0, NULL), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_prepared_run(NULL), TILEC_ERROR_INVALID);
    assert_int_equal(tilec_diagnostic_count(NULL), 0);
    assert_int_equal(tilec_kernel_parameter_count(NULL), 0);
    assert_null(tilec_kernel_name(NULL));
    tilec_context_destroy(NULL);
    tilec_program_destroy(NULL);
    tilec_kernel_destroy(NULL);
    tilec_prepared_destroy(NULL);
    tilec_release(context, NULL);
}

static void listing(void **state)
{
    (void)state;
    tilec_program *program;
    tilec_parameter p;
    size_t count;
    tilec_source source = source_of(add_text);
    assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
    assert_int_equal(tilec_program_kernel_count(program), 1);
    assert_string_equal(tilec_program_kernel_name(program, 0), "add");
    assert_null(tilec_program_kernel_name(program, 1));
    assert_int_equal(tilec_program_file_count(program), 1);
    assert_string_equal(tilec_program_file(program, 0), "test.tile.c");
    assert_null(tilec_program_file(program, 1));
    assert_int_equal(tilec_program_parameter_count(program, NULL, &count), TILEC_OK);
    assert_int_equal(count, 5);
    assert_int_equal(tilec_program_parameter_count(program, "sub", &count), TILEC_ERROR_NOT_FOUND);
    assert_int_equal(tilec_program_parameter(program, "add", 0, &p), TILEC_OK);
    assert_string_equal(p.name, "X");
    assert_int_equal(p.kind, TILEC_BUFFER);
    assert_int_equal(p.type, TILEC_F32);
    assert_true(p.is_const && !p.is_restrict);
    assert_int_equal(tilec_program_parameter(program, "add", 4, &p), TILEC_OK);
    assert_int_equal(p.kind, TILEC_CONSTEXPR);
    assert_int_equal(tilec_program_parameter(program, "add", 5, &p), TILEC_ERROR_INVALID);
    tilec_program_destroy(program);

    tilec_kernel *kernel = compile_add("interp");
    assert_string_equal(tilec_kernel_name(kernel), "add");
    assert_int_equal(tilec_kernel_parameter_count(kernel), 4);
    assert_int_equal(tilec_kernel_parameter(kernel, 3, &p), TILEC_OK);
    assert_string_equal(p.name, "n");
    assert_int_equal(p.kind, TILEC_SCALAR);
    assert_int_equal(p.type, TILEC_I32);
    tilec_kernel_info info = {.size = sizeof info};
    assert_int_equal(tilec_kernel_get_info(kernel, &info), TILEC_OK);
    assert_string_equal(info.target, "interp");
    assert_int_equal(info.has_grid, 1);
    tilec_kernel_destroy(kernel);
}

/* ---- compiling ------------------------------------------------------------------------------- */

static void expect_compile_error(const tilec_source *source, const tilec_compile_options *options,
                                 tilec_status status, const char *text)
{
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, source, options, &kernel), status);
    assert_null(kernel);
    expect_message(text);
}

static void sources_that_are_wrong(void **state)
{
    (void)state;
    tilec_source missing = {.size = sizeof missing, .path = "/nonexistent.tile.c"};
    expect_compile_error(&missing, NULL, TILEC_ERROR_IO,
                         "cannot read '/nonexistent.tile.c': No such file or directory");
    missing.path = "/";
    expect_compile_error(&missing, NULL, TILEC_ERROR_IO, "cannot read '/': Is a directory");
    tilec_kernel *kernel;
    tilec_source empty = source_of("");
    tilec_status status = tilec_compile(context, &empty, NULL, &kernel);
    assert_true(status == TILEC_ERROR_COMPILE || status == TILEC_ERROR_NOT_FOUND);
    assert_int_equal(tilec_diagnostic_count(context), 1);
    tilec_source junk = source_of("\x7f"
                                  "ELF\x02\x01\x01 \xff\xfe");
    assert_int_equal(tilec_compile(context, &junk, NULL, &kernel), TILEC_ERROR_COMPILE);
    assert_true(tilec_diagnostic_count(context) >= 1);
    junk.text_length = 3;
    assert_int_equal(tilec_compile(context, &junk, NULL, &kernel), TILEC_ERROR_COMPILE);
}

static void options_that_are_wrong(void **state)
{
    (void)state;
    tilec_source source = source_of(add_text);
    tilec_define constants[] = {{"BLOCK", "64"}, {"BLOC", "1"}};
    tilec_compile_options options = {
        .size = sizeof options, .constants = constants, .constant_count = 1, .target = "interp"};
    options.target = "gpu";
    expect_compile_error(&source, &options, TILEC_ERROR_TARGET, "unknown target 'gpu'");
    options.target = "interp";
    options.kernel = "sub";
    expect_compile_error(&source, &options, TILEC_ERROR_NOT_FOUND,
                         "'test.tile.c' has no kernel 'sub'");
    options.kernel = NULL;
    options.cpu = "z80";
    expect_compile_error(&source, &options, TILEC_ERROR_TARGET, "unknown CPU level 'z80'");
    options.cpu = NULL;
    options.constant_count = 2;
    expect_compile_error(&source, &options, TILEC_ERROR_NOT_FOUND,
                         "kernel 'add' has no parameter 'BLOC' that a constant can set");
    constants[1].name = "X";
    expect_compile_error(&source, &options, TILEC_ERROR_NOT_FOUND,
                         "kernel 'add' has no parameter 'X' that a constant can set");
    constants[0].value = "64x";
    options.constant_count = 1;
    expect_compile_error(&source, &options, TILEC_ERROR_INVALID,
                         "the constant 'BLOCK' must be an integer, not '64x'");
    constants[0].value = "99999999999999999999";
    expect_compile_error(&source, &options, TILEC_ERROR_INVALID,
                         "the constant 'BLOCK' must be an integer, not '99999999999999999999'");
    options.constants = NULL;
    options.constant_count = 0;
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_ERROR_COMPILE);
    options.size = 3;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_ERROR_INVALID);
}

/* ---- fixed scalars --------------------------------------------------------------------------- */

static const char kinds_text[] =
    "launch_grid(kinds, 1);\n"
    "kernel void kinds(double *Out, int8_t a, uint64_t b, bool c, half d, float e, double f)\n"
    "{\n"
    "    store(Out, cast(double, a) + b + c + d + e + f);\n"
    "}\n";

/* Every element type: the value is told, taken, needed or left out; one bit more is refused. */
static void fixed_kinds(const char *target)
{
    static const tilec_define defines[] = {{"a", "-3"},   {"b", "4ul"},  {"c", "true"},
                                           {"d", "-0.5"}, {"e", "1e-6"}, {"f", "0.1"}};
    static const char *const refused[] = {
        "kernel 'kinds': argument 'a' is -4, but the code was made for -3",
        "kernel 'kinds': argument 'b' is 5, but the code was made for 4",
        "kernel 'kinds': argument 'c' is 0, but the code was made for 1",
        "kernel 'kinds': argument 'd' is -0.500488281, but the code was made for -0.5",
        "kernel 'kinds': argument 'e' is 1.00000011e-06, but the code was made for 9.99999997e-07",
        ("kernel 'kinds': argument 'f' is 0.10000000000000002, but the code was made for "
         "0.10000000000000001")};
    tilec_source source = source_of(kinds_text);
    tilec_compile_options options = {.size = sizeof options, .target = target};
    tilec_kernel *kernel;
    tilec_parameter p;
    double out = 0, sum = -3 + 4 + 1 - 0.5 + (double)1e-6f + 0.1;
    int64_t one = 1, grid[3];
    source.defines = defines;
    source.define_count = 6;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    tilec_argument arguments[] = {tilec_buffer(TILEC_F64, &out, 1, &one),
                                  tilec_int(TILEC_I8, -3),
                                  tilec_int(TILEC_U64, 4),
                                  tilec_int(TILEC_BOOL, 1),
                                  tilec_float(TILEC_F16, -0.5),
                                  tilec_float(TILEC_F32, 1e-6),
                                  tilec_float(TILEC_F64, 0.1)};
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(tilec_kernel_parameter(kernel, i, &p), TILEC_OK);
        assert_int_equal(p.is_fixed, i > 0);
        assert_true(p.fixed_bits == (i > 0 ? arguments[i].bits : 0));
    }
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 7, NULL), TILEC_OK);
    assert_true(out > sum - 1e-9 && out < sum + 1e-9);
    out = 0;
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 1, NULL), TILEC_OK); /* left out */
    assert_true(out > sum - 1e-9 && out < sum + 1e-9);
    for (size_t i = 1; i < 7; i++) {
        tilec_prepared *prepared;
        uint64_t right = arguments[i].bits;
        arguments[i].bits += i == 1 ? UINT64_MAX : i == 3 ? UINT64_MAX : 1;
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 7, NULL), TILEC_ERROR_ARGUMENT);
        expect_message(refused[i - 1]);
        assert_int_equal(tilec_prepare(kernel, NULL, arguments, 7, NULL, &prepared),
                         TILEC_ERROR_ARGUMENT);
        assert_int_equal(tilec_kernel_grid(kernel, arguments, 7, grid), TILEC_ERROR_ARGUMENT);
        arguments[i].bits = right;
    }
    arguments[1] = tilec_int(TILEC_I16, -3);
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 7, NULL), TILEC_ERROR_ARGUMENT);
    arguments[0] = tilec_int(TILEC_I8, -3);
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 0, NULL), TILEC_ERROR_ARGUMENT);
    expect_message("kernel 'kinds': argument 'Out' is missing");
    tilec_kernel_destroy(kernel);
}

static void fixed_scalars(void **state)
{
    (void)state;
    for (int t = 0; t < target_count; t++)
        fixed_kinds(targets[t]);
}

/* Constants of the compilation fix integers too, so that one program serves several sizes; what is
 * not fixed is seen in the program's list. */
static void fixed_by_constants(void **state)
{
    (void)state;
    float x[6] = {1, 2, 3, 4, 5, 6}, out[6] = {0};
    int64_t six = 6;
    for (int t = 0; t < target_count; t++) {
        tilec_define constants[] = {{"BLOCK", "64"}, {"n", "6"}};
        tilec_kernel *kernel;
        assert_int_equal(compile_with(add_text, constants, 2, targets[t], &kernel), TILEC_OK);
        tilec_argument a[] = {tilec_buffer(TILEC_F32, x, 1, &six),
                              tilec_buffer(TILEC_F32, x, 1, &six),
                              tilec_buffer(TILEC_F32, out, 1, &six), tilec_int(TILEC_I32, 5)};
        assert_int_equal(tilec_launch(kernel, NULL, a, 3, NULL), TILEC_OK);
        assert_true(out[5] == 12);
        assert_int_equal(tilec_launch(kernel, NULL, a, 4, NULL), TILEC_ERROR_ARGUMENT);
        expect_message("kernel 'add': argument 'n' is 5, but the code was made for 6");
        six = 5; /* too small for what is fixed */
        a[2].shape = &six;
        assert_int_equal(tilec_launch(kernel, NULL, a, 3, NULL),
                         t == 0 ? TILEC_ERROR_FAULT : TILEC_ERROR_ARGUMENT);
        six = 6;
        tilec_kernel_destroy(kernel);
        constants[1].value = "5000000000";
        assert_int_equal(compile_with(add_text, constants, 2, targets[t], &kernel),
                         TILEC_ERROR_COMPILE);
        expect_message("5000000000 does not fit 'n', which is 'int'");
    }
    tilec_define n = {"n", "6"};
    tilec_source source = source_of(add_text);
    tilec_program *program;
    tilec_parameter p;
    source.defines = &n;
    source.define_count = 1;
    assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(tilec_program_parameter(program, "add", i, &p), TILEC_OK);
        assert_int_equal(p.is_fixed, i == 3);
    }
    tilec_program_destroy(program);
}

static void requirements(void **state)
{
    (void)state;
    tilec_source source = source_of(add_text);
    tilec_define block = {"BLOCK", "64"};
    const char *required = "threads=256";
    tilec_compile_options options = {.size = sizeof options,
                                     .constants = &block,
                                     .constant_count = 1,
                                     .requirements = &required,
                                     .requirement_count = 1};
    tilec_kernel *kernel;
    expect_compile_error(&source, &options, TILEC_ERROR_REQUIREMENT,
                         "the target 'cpu' cannot meet the requirement 'threads'");
    options.target = "interp"; /* has no schedule, so nothing about it can be wrong */
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    tilec_kernel_destroy(kernel);
    options.target = "cpu";
    required = "thread=256";
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_ERROR_COMPILE);
    required = "vector_width=1";
    options.cpu = "generic";
    expect_compile_error(&source, &options, TILEC_ERROR_REQUIREMENT,
                         "the target 'cpu' cannot meet the requirement 'vector_width = 1'");
    required = "precision=relaxed";
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_ERROR_REQUIREMENT);
}

static void places_of_diagnostics(void **state)
{
    (void)state;
    tilec_kernel *kernel;
    tilec_diagnostic d;
    assert_int_equal(compile_with("kernel void k(float *X)\n{\n    store(X, y);\n}\n", NULL, 0,
                                  "interp", &kernel),
                     TILEC_ERROR_COMPILE);
    assert_int_equal(tilec_diagnostic_get(context, 0, &d), TILEC_OK);
    assert_int_equal(d.kind, TILEC_DIAGNOSTIC_ERROR);
    assert_string_equal(d.file, "test.tile.c");
    assert_int_equal(d.line, 3);
    assert_int_equal(d.column, 14);
    assert_int_equal(d.end_line, 3);
    assert_int_equal(d.end_column, 15);
    assert_string_equal(d.source_line, "    store(X, y);");
    assert_non_null(strstr(d.text, "test.tile.c:3:14: error: "));
    assert_int_equal(tilec_diagnostic_get(context, 1, &d), TILEC_ERROR_INVALID);
    assert_null(d.message);
    tilec_kernel_destroy(compile_add("interp"));
    assert_int_equal(tilec_diagnostic_count(context), 0); /* another call forgets them */
}

static void emitting(void **state)
{
    (void)state;
    tilec_program *program;
    tilec_define block = {"BLOCK", "64"};
    tilec_source source = source_of(add_text);
    tilec_compile_options options = {
        .size = sizeof options, .constants = &block, .constant_count = 1};
    char *text;
    size_t length;
    assert_int_equal(tilec_program_create(context, &source, &program), TILEC_OK);
    int last = target_count == 2 ? TILEC_STAGE_ASSEMBLY : TILEC_STAGE_TILE;
    for (int stage = TILEC_STAGE_AST; stage <= last; stage++) {
        assert_int_equal(tilec_emit(program, &options, (tilec_stage)stage, &text, &length),
                         TILEC_OK);
        assert_int_equal(strlen(text), length);
        assert_non_null(strstr(text, "add"));
        tilec_release(context, text);
    }
    assert_int_equal(tilec_emit(program, &options, (tilec_stage)9, &text, NULL),
                     TILEC_ERROR_INVALID);
    assert_null(text);
    options.target = "interp";
    assert_int_equal(tilec_emit(program, &options, TILEC_STAGE_LLVM, &text, NULL),
                     TILEC_ERROR_TARGET);

    /* What is printed is a program, which computes the same. */
    options.target = NULL;
    assert_int_equal(tilec_emit(program, &options, TILEC_STAGE_TILE, &text, NULL), TILEC_OK);
    tilec_source ir = {.size = sizeof ir, .path = "add.ir", .text = text, .tile_ir = 1};
    tilec_compile_options interp = {.size = sizeof interp, .target = "interp"};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &ir, &interp, &kernel), TILEC_OK);
    float x[3] = {1, 2, 3}, out[3] = {0};
    tilec_argument arguments[] = {tilec_array(TILEC_F32, x, 3), tilec_array(TILEC_F32, x, 3),
                                  tilec_array(TILEC_F32, out, 3), tilec_int(TILEC_I32, 3)};
    assert_int_equal(tilec_launch(kernel, NULL, arguments, 4, NULL), TILEC_OK);
    assert_true(out[2] == 6);
    tilec_kernel_destroy(kernel);
    tilec_release(context, text);
    tilec_program_destroy(program);
}

/* ---- launching ------------------------------------------------------------------------------- */

enum { ELEMENTS = 1000 };

struct vectors {
    float x[ELEMENTS], y[ELEMENTS], out[ELEMENTS];
    tilec_argument arguments[5];
};

static void fill(struct vectors *v)
{
    static const int64_t shape[1] = {ELEMENTS};
    for (int i = 0; i < ELEMENTS; i++) {
        v->x[i] = (float)i;
        v->y[i] = 1;
        v->out[i] = -1;
    }
    v->arguments[0] = tilec_buffer(TILEC_F32, v->x, 1, shape);
    v->arguments[1] = tilec_array(TILEC_F32, v->y, ELEMENTS);
    v->arguments[2] = tilec_buffer(TILEC_F32, v->out, 1, shape);
    v->arguments[3] = tilec_int(TILEC_I32, ELEMENTS);
    v->arguments[4] = tilec_int(TILEC_I32, 0);
}

static void launches(void **state)
{
    (void)state;
    struct vectors v;
    for (int t = 0; t < target_count; t++) {
        tilec_kernel *kernel = compile_add(targets[t]);
        for (int threads = 0; threads < 3; threads++) {
            tilec_launch_options options = {.size = sizeof options, .threads = threads};
            fill(&v);
            assert_int_equal(tilec_launch(kernel, NULL, v.arguments, 4, &options), TILEC_OK);
            for (int i = 0; i < ELEMENTS; i++)
                assert_true(v.out[i] == (float)i + 1);
        }
        int64_t grid[3] = {2, 1, 1}; /* only a part */
        fill(&v);
        assert_int_equal(tilec_launch(kernel, grid, v.arguments, 4, NULL), TILEC_OK);
        assert_true(v.out[127] == 128 && v.out[128] == -1);
        assert_int_equal(tilec_kernel_grid(kernel, v.arguments, 4, grid), TILEC_OK);
        assert_int_equal(grid[0], 16);
        assert_int_equal(grid[2], 1);
        /* by name, in any order */
        static const char *const names[] = {"n", "Out", "Y", "X"};
        tilec_argument named[4];
        for (int i = 0; i < 4; i++) {
            named[i] = v.arguments[3 - i];
            named[i].name = names[i];
        }
        fill(&v);
        assert_int_equal(tilec_launch(kernel, NULL, named, 4, NULL), TILEC_OK);
        assert_true(v.out[999] == 1000);
        tilec_kernel_destroy(kernel);
    }
}

/* The CPU times its own run, which lies inside the launch; the interpreter cannot tell. */
static void device_time(void **state)
{
    (void)state;
    struct vectors v;
    for (int t = 0; t < target_count; t++) {
        double seconds = -1;
        tilec_launch_options options = {.size = sizeof options, .device_seconds = &seconds};
        tilec_kernel *kernel = compile_add(targets[t]);
        tilec_prepared *prepared;
        int tells = strcmp(targets[t], "cpu") == 0;
        fill(&v);
        assert_int_equal(tilec_launch(kernel, NULL, v.arguments, 4, &options), TILEC_OK);
        assert_true(tells ? seconds > 0 && seconds < 60 : seconds == 0);
        assert_int_equal(tilec_prepare(kernel, NULL, v.arguments, 4, &options, &prepared),
                         TILEC_OK);
        seconds = -1;
        assert_int_equal(tilec_prepared_run(prepared), TILEC_OK);
        assert_true(tells ? seconds > 0 && seconds < 60 : seconds == 0);
        tilec_prepared_destroy(prepared);
        tilec_kernel_destroy(kernel);
    }
}

static tilec_kernel *launched;

static void refuse(struct vectors *v, const int64_t *grid, size_t count, tilec_status status,
                   const char *text)
{
    assert_int_equal(tilec_launch(launched, grid, v->arguments, count, NULL), status);
    expect_message(text);
    for (int i = 0; i < ELEMENTS; i++)
        assert_true(v->out[i] == -1); /* nothing ran */
    fill(v);
}

static void arguments_that_are_wrong(void **state)
{
    (void)state;
    struct vectors v;
    const int64_t negative[1] = {-1}, huge[3] = {INT64_MAX, 2, 2};
    const int64_t none_first[3] = {0, INT64_MAX, INT64_MAX}, none_last[3] = {INT64_MAX, 4, 0};
    const int64_t *const none[] = {none_first, none_last}; /* the order of sizes is no matter */
    for (int t = 0; t < target_count; t++) {
        launched = compile_add(targets[t]);
        fill(&v);
        refuse(&v, NULL, 3, TILEC_ERROR_ARGUMENT, "kernel 'add': argument 'n' is missing");
        refuse(&v, NULL, 0, TILEC_ERROR_ARGUMENT, "kernel 'add': argument 'X' is missing");
        refuse(&v, NULL, 5, TILEC_ERROR_ARGUMENT,
               "kernel 'add' takes 4 arguments, but 5 were given");
        v.arguments[0].type = TILEC_F16;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' has type f16, but the parameter is float * (f32)");
        v.arguments[0].type = (tilec_type)77;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' has type unknown, but the parameter is float * (f32)");
        v.arguments[3] = tilec_int(TILEC_I64, 4);
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'n' has type i64, but the parameter is int32_t (i32)");
        v.arguments[3] = v.arguments[0];
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'n' must be a i32 scalar, not a buffer");
        v.arguments[1] = v.arguments[3];
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'Y' must be a buffer of f32, not a scalar");
        v.arguments[0].rank = 9;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' has rank 9, but a rank is from 0 to 8");
        v.arguments[0].shape = NULL;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT, "argument 'X' has no shape");
        v.arguments[0].shape = negative;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' has a shape that is negative or too large");
        v.arguments[0].rank = 3;
        v.arguments[0].shape = huge;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' has a shape that is negative or too large");
        v.arguments[0].rank = -1;
        v.arguments[0].elements = -2;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT, "argument 'X' has -2 elements");
        v.arguments[0].rank = 3;
        v.arguments[3] = tilec_int(TILEC_I32, 0);
        for (int i = 0; i < 2; i++) {
            v.arguments[0].shape = none[i];
            assert_int_equal(tilec_launch(launched, NULL, v.arguments, 4, NULL), TILEC_OK);
        }
        fill(&v);
        v.arguments[0].data = NULL;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT, "argument 'X' is NULL");
        v.arguments[0].data = (char *)v.x + 2;
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
               "argument 'X' is not aligned to its elements of 4 bytes");
        v.arguments[0].name = "x";
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT, "kernel 'add' has no parameter 'x'");
        v.arguments[0].name = "X";
        refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT, "kernel 'add': name all arguments or none");
        v.arguments[0].name = v.arguments[1].name = "X";
        refuse(&v, NULL, 2, TILEC_ERROR_ARGUMENT, "kernel 'add': argument 'X' is given twice");
        tilec_kernel_destroy(launched);
    }
}

static void grids_that_are_wrong(void **state)
{
    (void)state;
    struct vectors v;
    const int64_t negative[3] = {1, -2, 1}, huge[3] = {1 << 16, 1 << 16, 2};
    const int64_t overflow[3] = {INT64_MAX, INT64_MAX, INT64_MAX}, none[3] = {5, 0, INT64_MAX};
    for (int t = 0; t < target_count; t++) {
        launched = compile_add(targets[t]);
        fill(&v);
        refuse(&v, negative, 4, TILEC_ERROR_GRID,
               "kernel 'add': the grid (1, -2, 1) has a negative size");
        refuse(&v, huge, 4, TILEC_ERROR_GRID,
               "kernel 'add': the grid (65536, 65536, 2) has more than 2^32 programs");
        assert_int_equal(tilec_launch(launched, overflow, v.arguments, 4, NULL), TILEC_ERROR_GRID);
        assert_int_equal(tilec_launch(launched, none, v.arguments, 4, NULL), TILEC_OK);
        assert_true(v.out[0] == -1);
        v.arguments[3] = tilec_int(TILEC_I32, 0);
        v.arguments[0] = tilec_array(TILEC_F32, NULL, 0);
        assert_int_equal(tilec_launch(launched, NULL, v.arguments, 4, NULL), TILEC_OK);
        v.arguments[3] = tilec_int(TILEC_I32, -64);
        assert_int_equal(tilec_launch(launched, NULL, v.arguments, 4, NULL), TILEC_ERROR_GRID);
        tilec_kernel_destroy(launched);
    }
    tilec_kernel *kernel;
    assert_int_equal(compile_with("kernel void k(float *X)\n{\n    store(X, 1.0f);\n}\n", NULL, 0,
                                  "interp", &kernel),
                     TILEC_OK);
    float x = 0;
    tilec_argument argument = tilec_buffer(TILEC_F32, &x, 0, NULL); /* rank 0: one element */
    assert_int_equal(tilec_launch(kernel, NULL, &argument, 1, NULL), TILEC_ERROR_GRID);
    expect_message("kernel 'k' has no launch_grid and none was passed");
    const int64_t one[3] = {1, 1, 1};
    assert_int_equal(tilec_launch(kernel, one, &argument, 1, NULL), TILEC_OK);
    assert_true(x == 1);
    tilec_kernel_destroy(kernel);
}

static void arrays_that_are_too_small(void **state)
{
    (void)state;
    struct vectors v;
    if (target_count < 2)
        SKIP("the CPU backend is not here");
    launched = compile_add("cpu");
    fill(&v);
    v.arguments[1] = tilec_array(TILEC_F32, v.y, ELEMENTS - 1);
    refuse(&v, NULL, 4, TILEC_ERROR_ARGUMENT,
           "kernel 'add': array 'Y' has 999 elements, but with these arguments and the grid "
           "(16, 1, 1) the kernel needs 1000");
    v.arguments[1] = tilec_array(TILEC_F32, v.y, -1); /* unknown: trusted */
    assert_int_equal(tilec_launch(launched, NULL, v.arguments, 4, NULL), TILEC_OK);
    tilec_kernel_destroy(launched);

    /* The interpreter looks at every access. */
    launched = compile_add("interp");
    fill(&v);
    v.arguments[1] = tilec_array(TILEC_F32, v.y, ELEMENTS - 1);
    assert_int_equal(tilec_launch(launched, NULL, v.arguments, 4, NULL), TILEC_ERROR_FAULT);
    assert_non_null(strstr(message(0), "outside 'Y'"));
    tilec_kernel_destroy(launched);
}

static void launch_requirements(void **state)
{
    (void)state;
    static const char text[] = "launch_grid(k, 1);\n"
                               "launch_require(k, n % 4 == 0, \"n must be a multiple of 4\");\n"
                               "kernel void k(float *X, int n) { store(X, cast(float, n)); }\n";
    for (int t = 0; t < target_count; t++) {
        tilec_kernel *kernel;
        float x = 0;
        assert_int_equal(compile_with(text, NULL, 0, targets[t], &kernel), TILEC_OK);
        tilec_argument arguments[] = {tilec_array(TILEC_F32, &x, 1), tilec_int(TILEC_I32, 8)};
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 2, NULL), TILEC_OK);
        assert_true(x == 8);
        arguments[1] = tilec_int(TILEC_I32, 9);
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 2, NULL), TILEC_ERROR_REQUIREMENT);
        expect_message("kernel 'k': these arguments do not meet launch_require: n must be a "
                       "multiple of 4");
        assert_true(x == 8);
        tilec_kernel_destroy(kernel);
    }
}

struct output {
    char text[400];
    size_t length;
};

static void print(void *user, const char *text, size_t length)
{
    struct output *output = user;
    if (output->length + length < sizeof output->text) {
        memcpy(output->text + output->length, text, length);
        output->length += length;
    }
}

static void asserts_and_prints(void **state)
{
    (void)state;
    static const char text[] = "launch_grid(k, 2);\n"
                               "kernel void k(const half *X)\n"
                               "{\n"
                               "    int i = arange(0, 2) + 2 * program_id(0);\n"
                               "    half x = load(X + i);\n"
                               "    if (program_id(0) == 1)\n"
                               "        tile_print(\"x is\", x);\n"
                               "    tile_assert(x < 4, \"x is small\");\n"
                               "}\n";
    for (int t = 0; t < target_count; t++) {
        tilec_kernel *kernel;
        uint16_t x[4] = {0x3c00, 0xc000, 0x3e00, 0x4200}; /* 1 -2 1.5 3 */
        struct output output = {.length = 0};
        tilec_launch_options options = {.size = sizeof options, .print = print, .user = &output};
        assert_int_equal(compile_with(text, NULL, 0, targets[t], &kernel), TILEC_OK);
        tilec_argument argument = tilec_array(TILEC_F16, x, 4);
        assert_int_equal(tilec_launch(kernel, NULL, &argument, 1, &options), TILEC_OK);
        output.text[output.length] = '\0';
        assert_string_equal(output.text, "program (1, 0, 0): x is [1.5, 3.0]\n");
        assert_int_equal(tilec_launch(kernel, NULL, &argument, 1, NULL), TILEC_OK);
        x[3] = 0x4400; /* 4 */
        assert_int_equal(tilec_launch(kernel, NULL, &argument, 1, NULL), TILEC_ERROR_FAULT);
        assert_non_null(strstr(message(0), "assertion failed: x is small"));
        assert_non_null(strstr(message(0), "program (1, 0, 0)"));
        tilec_kernel_destroy(kernel);
    }
}

/* Buffers that overlap, and outputs beyond the caches, use other code with the same results. */
static void other_variants(void **state)
{
    (void)state;
    enum { BLOCK = 64, COUNT = 64 * BLOCK, LARGE = 5 << 20 };
    static const char text[] = "launch_grid(shift, 1);\n"
                               "kernel void shift(const float *X, float *Out, int n)\n"
                               "{\n"
                               "    for (int i = 0; i < n; i += 64) {\n"
                               "        int k = i + arange(0, 64);\n"
                               "        store(Out + k, load(X + k, k < n) + 1.0f, k < n);\n"
                               "    }\n"
                               "}\n";
    static float memory[COUNT + BLOCK];
    float *large = malloc(2 * LARGE * sizeof *large);
    assert_non_null(large);
    for (int t = 0; t < target_count; t++) {
        tilec_kernel *kernel;
        assert_int_equal(compile_with(text, NULL, 0, targets[t], &kernel), TILEC_OK);
        memset(memory, 0, sizeof memory);
        tilec_argument overlapping[] = {tilec_array(TILEC_F32, memory, COUNT),
                                        tilec_array(TILEC_F32, memory + BLOCK, COUNT),
                                        tilec_int(TILEC_I32, COUNT)};
        assert_int_equal(tilec_launch(kernel, NULL, overlapping, 3, NULL), TILEC_OK);
        assert_true(memory[COUNT + BLOCK - 1] == COUNT / BLOCK);
        tilec_kernel_destroy(kernel);
    }
    if (target_count == 2) {
        tilec_kernel *kernel = compile_add("cpu");
        for (int i = 0; i < LARGE; i++)
            large[i] = (float)(i % 1000);
        for (int n = LARGE - 1; n <= LARGE; n++) {
            tilec_argument arguments[] = {
                tilec_array(TILEC_F32, large, LARGE), tilec_array(TILEC_F32, large, LARGE),
                tilec_array(TILEC_F32, large + LARGE, LARGE), tilec_int(TILEC_I32, n)};
            large[2 * LARGE - 1] = -1;
            assert_int_equal(tilec_launch(kernel, NULL, arguments, 4, NULL), TILEC_OK);
            for (int i = 0; i < n; i++)
                assert_true(large[LARGE + i] == (float)(2 * (i % 1000)));
            assert_true(n == LARGE || large[2 * LARGE - 1] == -1);
        }
        tilec_kernel_destroy(kernel);
    }
    free(large);
}

/* A text in memory that is no longer the caller's, nor what it was, once it was passed. */
static const char *lend(const char *lent[], size_t *count, const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    return lent[(*count)++] = copy;
}

/* What is passed in is copied or only used during the call: code that a launch wants later is made
 * without any of it. */
static void options_are_lent(void **state)
{
    (void)state;
    enum { N = 5 << 20 };
    if (target_count == 1)
        SKIP("the CPU backend is not here");
    static const char text[] = "launch_grid(other, cdiv(n, 256));\n"
                               "kernel void other(const float *X, float *Out, int n, int by)\n"
                               "{\n"
                               "    int i = program_id(0) * B + arange(0, B);\n"
                               "    float x = load(X + i, i < n);\n"
                               "    store(Out + i, x * x + (float)by - max(x), i < n);\n"
                               "}\n"
                               "kernel void first() { }\n";
    const char *lent[20], **requirements = malloc(sizeof *requirements);
    const char **aligned = malloc(2 * sizeof *aligned);
    tilec_define *define = malloc(sizeof *define), *constant = malloc(sizeof *constant);
    size_t count = 0;
    assert_true(requirements && aligned && define && constant);
    *define = (tilec_define){lend(lent, &count, "B"), lend(lent, &count, "256")};
    *constant = (tilec_define){lend(lent, &count, "by"), lend(lent, &count, "2")};
    requirements[0] = lend(lent, &count, "precision=exact");
    aligned[0] = aligned[1] = lend(lent, &count, "all");
    tilec_source source = {.size = sizeof source,
                           .path = lend(lent, &count, "lent.tile.c"),
                           .text = lend(lent, &count, text),
                           .defines = define,
                           .define_count = 1};
    tilec_compile_options options = {.size = sizeof options,
                                     .kernel = lend(lent, &count, "other"),
                                     .target = lend(lent, &count, "cpu"),
                                     .cpu = lend(lent, &count, "native"),
                                     .constants = constant,
                                     .constant_count = 1,
                                     .requirements = requirements,
                                     .requirement_count = 1,
                                     .grid = lend(lent, &count, "cdiv(n, 256)"),
                                     .arch = lend(lent, &count, "sm_80"),
                                     .aligned = aligned,
                                     .aligned_count = 2};
    tilec_kernel *kernel;
    assert_int_equal(tilec_compile(context, &source, &options, &kernel), TILEC_OK);
    requirements[0] = aligned[0] = aligned[1] = NULL;
    *define = *constant = (tilec_define){NULL, NULL};
    for (size_t i = 0; i < count; i++)
        memset((char *)(uintptr_t)lent[i], '?', strlen(lent[i]));
    float *x = calloc(2 * N, sizeof *x);
    assert_non_null(x);
    for (int long_output = 0; long_output < 2; long_output++) { /* and one in place */
        int n = long_output ? N : 512;
        float *out = long_output ? x + N : x;
        for (int i = 0; i < n; i++)
            x[i] = (float)(i % 256);
        tilec_argument arguments[] = {tilec_array(TILEC_F32, x, n), tilec_array(TILEC_F32, out, n),
                                      tilec_int(TILEC_I32, n), tilec_int(TILEC_I32, 2)};
        assert_int_equal(tilec_launch(kernel, NULL, arguments, 4, NULL), TILEC_OK);
        for (int i = 0; i < n; i++)
            assert_true(out[i] == (float)((i % 256) * (i % 256) + 2 - 255));
    }
    free(x);
    tilec_kernel_destroy(kernel);
    while (count > 0)
        free((char *)(uintptr_t)lent[--count]);
    free(requirements);
    free(aligned);
    free(define);
    free(constant);
}

static void prepared(void **state)
{
    (void)state;
    struct vectors v;
    for (int t = 0; t < target_count; t++) {
        tilec_kernel *kernel = compile_add(targets[t]);
        tilec_prepared *launch;
        fill(&v);
        assert_int_equal(tilec_prepare(kernel, NULL, v.arguments, 3, NULL, &launch),
                         TILEC_ERROR_ARGUMENT);
        assert_null(launch);
        assert_int_equal(tilec_prepare(kernel, NULL, v.arguments, 4, NULL, &launch), TILEC_OK);
        tilec_kernel_destroy(kernel); /* the prepared launch keeps what it needs */
        for (int i = 0; i < 3; i++) {
            v.x[7] = (float)i;
            assert_int_equal(tilec_prepared_run(launch), TILEC_OK);
            assert_true(v.out[7] == (float)i + 1);
        }
        tilec_prepared_destroy(launch);
    }
}

static void handles_in_any_order(void **state)
{
    (void)state;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    tilec_context *other;
    tilec_program *program;
    tilec_kernel *kernel;
    tilec_define block = {"BLOCK", "64"};
    tilec_source source = source_of(add_text);
    tilec_compile_options interp = {
        .size = sizeof interp, .target = "interp", .constants = &block, .constant_count = 1};
    struct vectors v;
    fill(&v);
    assert_int_equal(tilec_context_create(&options, &other), TILEC_OK);
    assert_int_equal(tilec_program_create(other, &source, &program), TILEC_OK);
    assert_int_equal(tilec_program_compile(program, &interp, &kernel), TILEC_OK);
    tilec_context_destroy(other);
    tilec_program_destroy(program);
    assert_int_equal(tilec_launch(kernel, NULL, v.arguments, 4, NULL), TILEC_OK);
    assert_true(v.out[3] == 4);
    tilec_kernel_destroy(kernel);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *use_context(void *user)
{
    tilec_context *shared = user, *mine = shared;
    tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (!shared && tilec_context_create(&options, &mine) != TILEC_OK)
        return "context";
    for (int round = 0; round < 3; round++) {
        struct vectors v;
        tilec_kernel *kernel;
        tilec_define block = {"BLOCK", "64"};
        tilec_source source = source_of(add_text);
        source.defines = &block;
        source.define_count = 1;
        tilec_compile_options target = {.size = sizeof target,
                                        .target = targets[round % target_count]};
        fill(&v);
        if (tilec_compile(mine, &source, &target, &kernel) != TILEC_OK)
            return "compile";
        if (tilec_launch(kernel, NULL, v.arguments, 4, NULL) != TILEC_OK || v.out[999] != 1000)
            return "launch";
        tilec_kernel_destroy(kernel);
        source.text = "kernel void k( {";
        if (tilec_compile(mine, &source, &target, &kernel) != TILEC_ERROR_COMPILE)
            return "error";
    }
    if (!shared)
        tilec_context_destroy(mine);
    return NULL;
}

static void run_threads(tilec_context *shared)
{
    pthread_t threads[4];
    void *failed;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_context, shared), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

static void contexts_of_their_own(void **state)
{
    (void)state;
    run_threads(NULL);
}

static void one_context_for_all(void **state)
{
    (void)state;
    run_threads(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(null_everywhere),
        cmocka_unit_test(listing),
        cmocka_unit_test(sources_that_are_wrong),
        cmocka_unit_test(fixed_scalars),
        cmocka_unit_test(fixed_by_constants),
        cmocka_unit_test(options_that_are_wrong),
        cmocka_unit_test(requirements),
        cmocka_unit_test(places_of_diagnostics),
        cmocka_unit_test(emitting),
        cmocka_unit_test(launches),
        cmocka_unit_test(device_time),
        cmocka_unit_test(arguments_that_are_wrong),
        cmocka_unit_test(grids_that_are_wrong),
        cmocka_unit_test(arrays_that_are_too_small),
        cmocka_unit_test(launch_requirements),
        cmocka_unit_test(asserts_and_prints),
        cmocka_unit_test(other_variants),
        cmocka_unit_test(options_are_lent),
        cmocka_unit_test(prepared),
        cmocka_unit_test(handles_in_any_order),
        cmocka_unit_test(contexts_of_their_own),
        cmocka_unit_test(one_context_for_all),
    };
    return RUN_TESTS(tests, set_up, tear_down);
}
