/*
 * tilec-bench: times tilec and its peers alternately in one run, prints ratios, writes JSON.
 *
 *   tilec-bench [--seconds S] [--part PART] [--only TEXT] [--offset BYTES] [--tilec PATH]
 *               [JSON-FILE]
 *
 * PART: rows, products, attention, pictures, everyday, overheads, or compiles.
 * --offset: where the rows' arrays begin behind a cache line (what malloc returns for large ones: 16).
 *
 * Run from the repository's root (it compiles kernels/). `make bench` builds and runs it.
 */
#include "bench/bench.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bench_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tilec-bench: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

void bench_check(tilec_context *context, tilec_status status)
{
    if (status == TILEC_OK)
        return;
    for (size_t i = 0; i < tilec_diagnostic_count(context); i++) {
        tilec_diagnostic diagnostic;
        if (tilec_diagnostic_get(context, i, &diagnostic) == TILEC_OK)
            fputs(diagnostic.text, stderr);
    }
    bench_fail("%s", tilec_status_string(status));
}

void bench_add(struct bench *bench, const char *part, json_t *row)
{
    json_t *rows = json_object_get(bench->results, part);
    if (!rows) {
        rows = json_array();
        json_object_set_new(bench->results, part, rows);
    }
    json_array_append_new(rows, row);
}

/* What gcc and clang said of the hand-written peers' loops, from files that the build wrote. */
static void print_vectorisation(const char *compiler, const char *path, const char *word)
{
    FILE *file = fopen(path, "r");
    char line[1024];
    int loops = 0;
    if (!file) {
        printf("%s: no vectorisation report (%s)\n", compiler, path);
        return;
    }
    while (fgets(line, sizeof line, file))
        loops += strstr(line, word) != NULL;
    fclose(file);
    printf("hand-written C: %s vectorised %d loops (report: %s)\n", compiler, loops, path);
}

static size_t offset_of(const char *text)
{
    char *end;
    unsigned long bytes = strtoul(text, &end, 10);
    if (*end || bytes % 4 != 0 || bytes >= 4096)
        bench_fail("--offset takes a multiple of 4 below 4096, not '%s'", text);
    return bytes;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seconds", required_argument, NULL, 's'}, {"part", required_argument, NULL, 'p'},
        {"only", required_argument, NULL, 'o'},    {"offset", required_argument, NULL, 'f'},
        {"tilec", required_argument, NULL, 't'},   {0}};
    struct bench bench = {.budget = 2, .results = json_object()};
    const char *part = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 's')
            bench.budget = atof(optarg);
        else if (option == 'p')
            part = optarg;
        else if (option == 'o')
            bench.only = optarg;
        else if (option == 'f')
            bench.offset = offset_of(optarg);
        else if (option == 't')
            bench.tilec = optarg;
        else
            return 2;
    }
    tilec_context_options context = {.size = sizeof context, .cache_directory = ""};
    bench_check(NULL, tilec_context_create(&context, &bench.context));
    print_vectorisation("gcc", BENCH_REPORT_GCC, "loop vectorized");
    print_vectorisation("clang", BENCH_REPORT_CLANG, "vectorized loop");
    if (!part || !strcmp(part, "rows"))
        bench_rows(&bench);
    if (!part || !strcmp(part, "products"))
        bench_products(&bench);
    if (!part || !strcmp(part, "attention"))
        bench_attention(&bench);
    if (!part || !strcmp(part, "pictures"))
        bench_pictures(&bench);
    if (!part || !strcmp(part, "everyday"))
        bench_everyday(&bench);
    if (!part || !strcmp(part, "overheads"))
        bench_overheads(&bench);
    if (!part || !strcmp(part, "compiles"))
        bench_compiles(&bench);
    if (optind < argc && json_dump_file(bench.results, argv[optind], JSON_INDENT(1)) != 0)
        bench_fail("cannot write %s", argv[optind]);
    json_decref(bench.results);
    tilec_context_destroy(bench.context);
    return 0;
}
