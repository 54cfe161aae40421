/* Compiling and launching for the edge cases; the program's main function. */
#include "edge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *edge_targets[5];

static tilec_context *context;
static char message[1000];

/* The kernel of the launch before, which often serves again: some targets take long to compile. */
static struct {
    tilec_kernel *kernel;
    const char *target;
    char *text;
} last;

bool edge_has_double(const char *target)
{
    return strcmp(target, "msl-host") != 0;
}

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

static void explain(const char *target, const char *text, tilec_status status,
                    tilec_status expected)
{
    print_error("%s: %s, expected %s: %s\n%s\n", target, tilec_status_string(status),
                tilec_status_string(expected), message, text);
}

static void forget_kernel(void)
{
    tilec_kernel_destroy(last.kernel);
    free(last.text);
    memset(&last, 0, sizeof last);
}

static tilec_status compile(const char *target, const char *text)
{
    const tilec_source source = {.size = sizeof source, .path = "edge.tile.c", .text = text};
    const tilec_compile_options options = {.size = sizeof options, .target = target};
    if (last.kernel && last.target == target && strcmp(last.text, text) == 0)
        return TILEC_OK;
    forget_kernel();
    last.target = target;
    last.text = strdup(text);
    return tilec_compile(context, &source, &options, &last.kernel);
}

static tilec_status compile_and_launch(const char *target, const char *text, const int64_t *grid,
                                       const tilec_argument *arguments, size_t count, int unchecked)
{
    const tilec_launch_options launch = {
        .size = sizeof launch, .unchecked = unchecked, .host_buffers = 1};
    tilec_status status = compile(target, text);
    if (status == TILEC_OK)
        status = tilec_launch(last.kernel, grid, arguments, count, &launch);
    keep_message();
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

static bool available(const char *target)
{
    tilec_device device;
    for (size_t i = 0; tilec_device_get(context, i, &device) == TILEC_OK; i++)
        if (strcmp(device.target, target) == 0)
            return device.available;
    return false;
}

/* False where a target is missing that this build has. */
static bool find_targets(const char *wanted)
{
    static const char *const names[] = {"interp", "cpu", "msl-host", "cuda"};
    size_t found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strstr(wanted, names[i]))
            continue;
        if (available(names[i])) {
            edge_targets[found++] = names[i];
        } else if (EDGE_HAS_CPU && strcmp(names[i], "cpu") == 0) {
            fprintf(stderr, "edge: the CPU backend was built, but cannot be loaded\n");
            return false;
        } else {
            printf("skipped: the device %s is not here\n", names[i]);
        }
    }
    return true;
}

static int run_groups(void)
{
    int failures =
        _cmocka_run_group_tests("values", edge_value_tests, edge_value_test_count, NULL, NULL);
    failures +=
        _cmocka_run_group_tests("memory", edge_memory_tests, edge_memory_test_count, NULL, NULL);
    failures +=
        _cmocka_run_group_tests("control", edge_control_tests, edge_control_test_count, NULL, NULL);
    return failures;
}

int main(int argc, char **argv)
{
    const tilec_context_options options = {.size = sizeof options, .cache_directory = ""};
    if (tilec_context_create(&options, &context) != TILEC_OK)
        return 1;
    bool complete = find_targets(argc > 1 ? argv[1] : "interp,cpu");
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    int failures = !complete;
    if (complete && edge_targets[0])
        failures += run_groups();
    bool skipped = complete && !edge_targets[0];
    forget_kernel();
    tilec_context_destroy(context);
    return skipped ? 77 : failures != 0;
}
