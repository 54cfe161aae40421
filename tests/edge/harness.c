/* Compiling and launching for the edge cases; the program's main function. */
#include "edge.h"

#include <stdio.h>
#include <string.h>

const char *edge_targets[3];

static tilec_context *context;
static char message[1000];

const char *edge_message(void)
{
    return message;
}

static void keep_message(void)
{
    tilec_diagnostic diagnostic;
    message[0] = '\0';
    if (tilec_diagnostic_get(context, 0, &diagnostic) == TILEC_OK)
        snprintf(message, sizeof message, "%s", diagnostic.message);
}

/* The diagnostics themselves are gone once the kernel is destroyed; the first message was kept. */
static void explain(const char *target, const char *text, tilec_status status,
                    tilec_status expected)
{
    print_error("%s: %s, expected %s: %s\n%s\n", target, tilec_status_string(status),
                tilec_status_string(expected), message, text);
}

static tilec_status compile_and_launch(const char *target, const char *text, const int64_t *grid,
                                       const tilec_argument *arguments, size_t count, int unchecked)
{
    const tilec_source source = {.size = sizeof source, .path = "edge.tile.c", .text = text};
    const tilec_compile_options options = {.size = sizeof options, .target = target};
    const tilec_launch_options launch = {.size = sizeof launch, .unchecked = unchecked};
    tilec_kernel *kernel;
    tilec_status status = tilec_compile(context, &source, &options, &kernel);
    if (status == TILEC_OK)
        status = tilec_launch(kernel, grid, arguments, count, &launch);
    keep_message();
    tilec_kernel_destroy(kernel);
    return status;
}

static void expect(const char *target, const char *text, const int64_t *grid,
                   const tilec_argument *arguments, size_t count, int unchecked,
                   tilec_status expected)
{
    tilec_status status = compile_and_launch(target, text, grid, arguments, count, unchecked);
    if (status != expected)
        explain(target, text, status, expected);
    assert_int_equal(status, expected);
}

void edge_expect(const char *target, const char *text, const int64_t *grid,
                 const tilec_argument *arguments, size_t count, tilec_status expected)
{
    expect(target, text, grid, arguments, count, 0, expected);
}

void edge_run(const char *target, const char *text, const tilec_argument *arguments, size_t count)
{
    expect(target, text, NULL, arguments, count, 0, TILEC_OK);
}

void edge_run_unchecked(const char *target, const char *text, const tilec_argument *arguments,
                        size_t count)
{
    expect(target, text, NULL, arguments, count, 1, TILEC_OK);
}

static void find_targets(void)
{
    tilec_device device;
    size_t found = 0;
    for (size_t i = 0; tilec_device_get(context, i, &device) == TILEC_OK; i++) {
        if (!device.available)
            continue;
        if (strcmp(device.target, "interp") == 0)
            edge_targets[found++] = "interp";
        else if (strcmp(device.target, "cpu") == 0)
            edge_targets[found++] = "cpu";
    }
}

int main(void)
{
    const tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (tilec_context_create(&options, &context) != TILEC_OK)
        return 1;
    find_targets();
    int failures =
        _cmocka_run_group_tests("values", edge_value_tests, edge_value_test_count, NULL, NULL);
    failures +=
        _cmocka_run_group_tests("memory", edge_memory_tests, edge_memory_test_count, NULL, NULL);
    failures +=
        _cmocka_run_group_tests("control", edge_control_tests, edge_control_test_count, NULL, NULL);
    tilec_context_destroy(context);
    return failures != 0;
}
