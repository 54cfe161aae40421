/*
 * Compile a kernel from text, run it on two arrays of our own, print the result.
 * Shown here: errors as data, arguments by name, launching again without repeating the checks.
 */
#include <tilec/tilec.h>

#include <stdio.h>

static const char text[] = "launch_grid(scale, cdiv(n, BLOCK));\n"
                           "/* Y = a X on n elements */\n"
                           "kernel void scale(const float *restrict X, float *restrict Y, float a,\n"
                           "                  int n, constexpr int BLOCK)\n"
                           "{\n"
                           "    int i = program_id(0) * BLOCK + arange(0, BLOCK);\n"
                           "    store(Y + i, a * load(X + i, i < n), i < n);\n"
                           "}\n";

/* Prints what went wrong, as a compiler does; the library itself never prints. */
static int failed(tilec_context *context, tilec_status status)
{
    fprintf(stderr, "tilec: %s\n", tilec_status_string(status));
    for (size_t i = 0; i < tilec_diagnostic_count(context); i++) {
        tilec_diagnostic diagnostic;
        if (tilec_diagnostic_get(context, i, &diagnostic) == TILEC_OK)
            fputs(diagnostic.text, stderr);
    }
    return 1;
}

static tilec_argument named(const char *name, tilec_argument argument)
{
    argument.name = name;
    return argument;
}

int main(void)
{
    enum { COUNT = 10 };
    float x[COUNT], y[COUNT];
    tilec_context *context;
    tilec_kernel *kernel;
    tilec_prepared *launch;
    tilec_define block = {"BLOCK", "256"};
    tilec_source source = {.size = sizeof source,
                           .path = "scale.tile.c",
                           .text = text,
                           .defines = &block,
                           .define_count = 1};
    tilec_status status = tilec_context_create(NULL, &context);
    if (status != TILEC_OK)
        return 1;

    status = tilec_compile(context, &source, NULL, &kernel);
    if (status != TILEC_OK)
        return failed(context, status);

    tilec_argument arguments[] = {
        named("X", tilec_array(TILEC_F32, x, COUNT)), named("Y", tilec_array(TILEC_F32, y, COUNT)),
        named("a", tilec_float(TILEC_F32, 0.5)), named("n", tilec_int(TILEC_I32, COUNT))};
    status = tilec_prepare(kernel, NULL, arguments, 4, NULL, &launch);
    if (status != TILEC_OK)
        return failed(context, status);

    for (int round = 1; round <= 2; round++) {
        for (int i = 0; i < COUNT; i++)
            x[i] = (float)(round * i);
        tilec_prepared_run(launch);
        for (int i = 0; i < COUNT; i++)
            printf("%g%c", (double)y[i], i + 1 < COUNT ? ' ' : '\n');
    }

    tilec_prepared_destroy(launch);
    tilec_kernel_destroy(kernel);
    tilec_context_destroy(context);
    return 0;
}
