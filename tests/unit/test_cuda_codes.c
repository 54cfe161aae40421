/*
 * Kernels of the target "cuda" that have several codes, and launches that choose one: by a row's
 * length, by how many programs there are, by conditions; and grids that CUDA's has no room for.
 */
#include "cuda_state.h"

/* The first lengths of rows have code of their own, others share it by eighths of the tile; a
 * length that was launched before needs no more. */
static void rows_have_code_for_their_length(void **result)
{
    enum { MOST = 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, 1);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    float x = load(X + i, i < n);\n"
        "    store(Out + i, x + sum(x), i < n);\n"
        "}\n";
    static const struct {
        int n, made;
    } launches[] = {{1009, 1}, {1009, 0}, {1024, 1}, {100, 1}, {0, 1},  {100, 0},
                    {513, 1},  {520, 0},  {601, 0},  {900, 1}, {-3, 1}, {1025, 0}};
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
    tilec_kernel *kernel;
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (int k = 0; k < (int)(sizeof launches / sizeof *launches); k++) {
        float x[MOST], out[MOST], sum = 0;
        int n = launches[k].n, before = s->fake ? s->fake->modules : 0;
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, MOST),
                                             tilec_array(TILEC_F32, out, MOST),
                                             tilec_int(TILEC_I32, n)};
        for (int i = 0; i < MOST; i++) {
            x[i] = (float)(i % 17);
            out[i] = -1;
            sum += i < n ? x[i] : 0;
        }
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake)
            assert_int_equal(s->fake->modules - before, launches[k].made);
        for (int i = 0; !s->fake && i < MOST; i++)
            assert_true(out[i] == (i < n ? x[i] + sum : -1));
    }
    tilec_kernel_destroy(kernel);
}

/* A row that does not fit one block: on sm_90 and later four share it, unless the device says that
 * it takes no cluster. */
static void clusters_are_launched(void **result)
{
    enum { ROWS = 3, WIDTH = 65536 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(less, rows);\n"
        "kernel void less(const float *restrict X, float *restrict Out, int rows)\n"
        "{\n"
        "    int i = program_id(0) * 65536 + arange(0, 65536);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x - max(x) + sum(x));\n"
        "}\n";
    struct state *s = *result;
    need_compiler(s);
    for (int clusters = 0; clusters < 2; clusters++) {
        tilec_source source = {.size = sizeof source, .path = "less.tile.c", .text = source_text};
        tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
        tilec_kernel *kernel;
        float *x = calloc(ROWS * WIDTH, sizeof *x), *out = calloc(ROWS * WIDTH, sizeof *out);
        assert_true(x && out);
        for (int i = 0; i < ROWS * WIDTH; i++)
            x[i] = (float)((i * 7919 + i / WIDTH) % 31 - 15); /* sums are exact */
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, ROWS * WIDTH),
                                             tilec_array(TILEC_F32, out, ROWS * WIDTH),
                                             tilec_int(TILEC_I32, ROWS)};
        if (s->fake)
            s->fake->clusters = clusters;
        expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake) {
            assert_int_equal(s->fake->config.grid[0], clusters ? 4 * ROWS : ROWS);
            assert_int_equal(s->fake->config.block[0], clusters ? 512 : 1024);
        }
        for (int row = 0; !s->fake && row < ROWS; row++) {
            float most = -16, sum = 0;
            for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++) {
                most = x[i] > most ? x[i] : most;
                sum += x[i];
            }
            for (int i = row * WIDTH; i < (row + 1) * WIDTH; i++)
                assert_true(out[i] == x[i] - most + sum);
        }
        tilec_kernel_destroy(kernel);
        free(x);
        free(out);
    }
}

/* What launches compute on the host may choose: conditions of several parts, grids by ?:. */
static void conditions_and_grids_choose(void **result)
{
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(fill, n > 8 ? cdiv(n, of) : kind == 1 || kind == 3 ? 3 : 2);\n"
        "launch_require(fill, of >= 1 && n % of == 0, \"n must be a multiple\");\n"
        "launch_require(fill, kind > 0 || (n > 4 ? of == 2 : of == 1), \"of must fit\");\n"
        "kernel void fill(int *Out, int n, int of, int kind)\n"
        "{\n"
        "    store(Out + program_id(0), num_programs(0));\n"
        "}\n";
    static const struct {
        int n, of, kind, programs; /* 0: refused */
    } launches[] = {{12, 2, 1, 6}, {12, 5, 1, 0}, {12, 0, 1, 0}, {8, -2, 1, 0},
                    {8, 2, 1, 3},  {8, 4, 3, 3},  {8, 4, 2, 2},  {8, 4, 0, 0},
                    {8, 2, 0, 2},  {4, 1, 0, 2},  {4, 2, 0, 0}};
    struct state *s = *result;
    tilec_kernel *kernel;
    int32_t host[8];
    void *memory;
    need_compiler(s);
    expect(s, compile(s->context, "fill.tile.c", source_text, &kernel), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof host, &memory), TILEC_OK);
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const int *of = &launches[i].n, programs = launches[i].programs;
        tilec_argument arguments[4] = {tilec_array(TILEC_I32, memory, 8),
                                       tilec_int(TILEC_I32, of[0]), tilec_int(TILEC_I32, of[1]),
                                       tilec_int(TILEC_I32, of[2])};
        expect(s, tilec_cuda_fill(s->context, memory, 0, sizeof host, NULL), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 4, NULL),
               programs ? TILEC_OK : TILEC_ERROR_REQUIREMENT);
        if (programs && s->fake)
            assert_int_equal(s->fake->config.grid[0], programs);
        expect(s, tilec_cuda_copy(s->context, host, memory, sizeof host, NULL), TILEC_OK);
        for (int k = 0; k < 8 && !s->fake; k++)
            assert_int_equal(host[k], k < programs ? programs : 0);
    }
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
    tilec_kernel_destroy(kernel);
}

/* Odd rows of halves have other code where there are many; floats have not, nor aligned rows. */
static void many_rows_have_code_of_their_own(void **result)
{
    enum { MOST = 300 * 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const T *restrict X, T *restrict Out, int rows, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    int64_t row = program_id(0) * n;\n"
        "    float x = load(X + row + i, i < n);\n"
        "    store(Out + row + i, x + sum(x), i < n);\n"
        "}\n";
    static const struct {
        int rows, n, halves, floats; /* modules that are made */
    } launches[] = {{2, 1009, 1, 1}, {255, 1009, 0, 0}, {256, 1009, 1, 0}, {300, 1009, 0, 0},
                    {3, 1009, 0, 0}, {4, 1024, 1, 1},   {256, 1024, 0, 0}};
    struct state *s = *result;
    need_compiler(s);
    for (int half = 0; half < 2; half++) {
        tilec_define type = {"T", half ? "half" : "float"};
        tilec_source source = {.size = sizeof source,
                               .path = "scaled.tile.c",
                               .text = source_text,
                               .defines = &type,
                               .define_count = 1};
        tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
        tilec_kernel *kernel;
        uint32_t *x = calloc(MOST, sizeof *x), *out = calloc(MOST, sizeof *out);
        expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
        for (int k = 0; k < (int)(sizeof launches / sizeof *launches); k++) {
            int before = s->fake ? s->fake->modules : 0;
            tilec_type elem = half ? TILEC_F16 : TILEC_F32;
            const tilec_argument arguments[4] = {
                tilec_array(elem, x, MOST), tilec_array(elem, out, MOST),
                tilec_int(TILEC_I32, launches[k].rows), tilec_int(TILEC_I32, launches[k].n)};
            expect(s, tilec_launch(kernel, NULL, arguments, 4, &launch), TILEC_OK);
            int made = half ? launches[k].halves : launches[k].floats;
            if (s->fake)
                assert_int_equal(s->fake->modules - before, made);
        }
        launch.overlap = 1; /* such launches have one code for all numbers of rows */
        for (int rows = 2; rows <= 256; rows += 254) {
            int before = s->fake ? s->fake->modules : 0;
            tilec_type elem = half ? TILEC_F16 : TILEC_F32;
            const tilec_argument arguments[4] = {
                tilec_array(elem, x, MOST), tilec_array(elem, out, MOST),
                tilec_int(TILEC_I32, rows), tilec_int(TILEC_I32, 1009)};
            expect(s, tilec_launch(kernel, NULL, arguments, 4, &launch), TILEC_OK);
            if (s->fake)
                assert_int_equal(s->fake->modules - before, rows == 2);
        }
        tilec_kernel_destroy(kernel);
        free(x);
        free(out);
    }
}

/* Code for one length: no other variant is made for it, and other lengths are refused. */
static void a_fixed_length_has_one_code(void **result)
{
    enum { MOST = 1024 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, 1);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int n)\n"
        "{\n"
        "    int i = arange(0, 1024);\n"
        "    float x = load(X + i, i < n);\n"
        "    store(Out + i, x + sum(x), i < n);\n"
        "}\n";
    struct state *s = *result;
    tilec_define length = {"n", "1009"};
    tilec_kernel *kernel;
    float x[MOST], out[MOST], sum = 0;
    need_compiler(s);
    tilec_source source = {.size = sizeof source,
                           .path = "scaled.tile.c",
                           .text = source_text,
                           .defines = &length,
                           .define_count = 1};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1};
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, MOST),
                                   tilec_array(TILEC_F32, out, MOST), tilec_int(TILEC_I32, 1009)};
    for (int i = 0; i < MOST; i++) {
        x[i] = (float)(i % 17);
        out[i] = -1;
        sum += i < 1009 ? x[i] : 0;
    }
    int before = s->fake ? s->fake->modules : 0;
    expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
    expect(s, tilec_launch(kernel, NULL, arguments, 2, &launch), TILEC_OK); /* left out */
    if (s->fake)
        assert_int_equal(s->fake->modules - before, 0);
    for (int i = 0; !s->fake && i < MOST; i++)
        assert_true(out[i] == (i < 1009 ? x[i] + sum : -1));
    arguments[2] = tilec_int(TILEC_I32, 1008);
    expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_ERROR_ARGUMENT);
    tilec_kernel_destroy(kernel);
}

/* Every program's element says where it stands, and in how large a grid. */
static const char places[] =
    "#include <tilec/kernel.h>\n"
    "kernel void place(int64_t *Out, int x, int y)\n"
    "{\n"
    "    int64_t p = program_id(0) + x * (program_id(1) + (int64_t)y * program_id(2));\n"
    "    int64_t n = num_programs(0) + 5 * (num_programs(1) + 7 * (int64_t)num_programs(2));\n"
    "    store(Out + p, 1000000 * p + n / (x / y + 1));\n"
    "}\n";

static void check_places(struct state *s, tilec_kernel *kernel, void *memory, const int64_t grid[3])
{
    int64_t count = grid[0] * grid[1] * grid[2], size = grid[0] + 5 * (grid[1] + 7 * grid[2]);
    int64_t *out = calloc((size_t)count, sizeof *out);
    const tilec_argument arguments[3] = {tilec_array(TILEC_I64, memory, count),
                                         tilec_int(TILEC_I32, grid[0]),
                                         tilec_int(TILEC_I32, grid[1])};
    expect(s, tilec_cuda_fill(s->context, memory, 0xff, (size_t)count * sizeof *out, NULL),
           TILEC_OK);
    expect(s, tilec_launch(kernel, grid, arguments, 3, NULL), TILEC_OK);
    expect(s, tilec_cuda_copy(s->context, out, memory, (size_t)count * sizeof *out, NULL),
           TILEC_OK);
    for (int64_t i = 0; !s->fake && i < count; i++)
        if (out[i] != 1000000 * i + size / (grid[0] / grid[1] + 1))
            fail_msg("grid (%d, %d, %d): element %d is %lld", (int)grid[0], (int)grid[1],
                     (int)grid[2], (int)i, (long long)out[i]);
    free(out);
}

/* More programs along the second or third axis than CUDA has there. */
static void long_axes_are_folded(void **result)
{
    static const int64_t grids[][3] = {
        {3, 65535, 2}, {3, 65536, 2}, {1, 70001, 1}, {2, 3, 65537}, {5, 4, 3}};
    struct state *s = *result;
    void *memory;
    tilec_kernel *kernel;
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, (size_t)8 << 20, &memory), TILEC_OK);
    expect(s, compile(s->context, "place.tile.c", places, &kernel), TILEC_OK);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const int64_t *grid = grids[i];
        bool folded = grid[1] > 65535 || grid[2] > 65535;
        if (s->fake) /* the kernel's own, those of its prologue, the grid's */
            memcpy(s->fake->value_bytes, (int[]){8, 4, 4, 4, folded ? 4 : 0, 4, 4, 0},
                   8 * sizeof(int));
        check_places(s, kernel, memory, grid);
        if (!s->fake)
            continue;
        const unsigned *launched = s->fake->config.grid;
        assert_int_equal(launched[0], folded ? grid[0] * grid[1] * grid[2] : grid[0]);
        assert_int_equal(launched[1], folded ? 1 : grid[1]);
        assert_int_equal(launched[2], folded ? 1 : grid[2]);
        for (int axis = 0; folded && axis < 3; axis++)
            assert_int_equal(s->fake->values[4 + axis], grid[axis]);
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* Blocks of several programs: as many as that takes along x, whose size goes with the launch; the
 * last one has parts without a program. */
static void blocks_run_several_programs(void **result)
{
    static const int64_t grids[][3] = {{1, 1, 1}, {6, 1, 1}, {7, 3, 2}, {8, 1, 5}, {5, 65536, 1}};
    static const char *const required = "programs_per_block=3";
    struct state *s = *result;
    tilec_source source = {.size = sizeof source, .path = "place.tile.c", .text = places};
    tilec_compile_options options = {.size = sizeof options,
                                     .target = "cuda",
                                     .requirements = &required,
                                     .requirement_count = 1};
    tilec_kernel *kernel;
    void *memory;
    need_compiler(s);
    expect(s, tilec_cuda_allocate(s->context, (size_t)8 << 20, &memory), TILEC_OK);
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        const int64_t *grid = grids[i];
        bool folded = grid[1] > 65535;
        int64_t along = folded ? grid[0] * grid[1] * grid[2] : grid[0];
        if (s->fake) /* the kernel's own, those of its prologue, the grid's if it is folded, its
                        width */
            memcpy(s->fake->value_bytes, (int[]){8, 4, 4, 4, 4, folded ? 4 : 0, 4, 4},
                   8 * sizeof(int));
        check_places(s, kernel, memory, grid);
        if (!s->fake)
            continue;
        const unsigned *launched = s->fake->config.grid;
        assert_int_equal(launched[0], (along + 2) / 3);
        assert_int_equal(launched[1], folded ? 1 : grid[1]);
        assert_int_equal(launched[2], folded ? 1 : grid[2]);
        assert_int_equal(s->fake->config.block[0], 3 * 32);
        assert_int_equal(s->fake->values[folded ? 7 : 4], along);
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, memory), TILEC_OK);
}

/* So many rows of 8 KB that two of them share a block; one less, and each has a block of its own.
 * With either, and with launches that overlap, rows are right. */
static void many_rows_share_blocks(void **result)
{
    enum { MANY = 8192, WIDTH = 4096 };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const half *restrict X, half *restrict Out, int rows)\n"
        "{\n"
        "    int64_t i = (int64_t)program_id(0) * 4096 + arange(0, 4096);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x + sum(x) / 4096);\n"
        "}\n";
    static const int rows[] = {MANY - 1, MANY, MANY + 1, 3};
    static const unsigned short halves[] = {0x0000, 0x3c00}; /* 0, 1: their mean is 0.5 */
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_kernel *kernel;
    size_t bytes = sizeof *halves * (MANY + 2) * WIDTH;
    unsigned short *x = malloc(bytes), *out = malloc(bytes);
    assert_true(x && out);
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t i = 0; i < bytes / sizeof *x; i++)
        x[i] = halves[i % 2];
    for (int k = 0; k < 8; k++) {
        int count = rows[k / 2];
        bool shares = count >= MANY;
        tilec_launch_options launch = {.size = sizeof launch, .host_buffers = 1, .overlap = k % 2};
        const tilec_argument arguments[3] = {
            tilec_array(TILEC_F16, x, (int64_t)(MANY + 2) * WIDTH),
            tilec_array(TILEC_F16, out, (int64_t)(MANY + 2) * WIDTH), tilec_int(TILEC_I32, count)};
        memset(out, 0xff, bytes);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake) {
            assert_int_equal(s->fake->config.grid[0], shares ? (count + 1) / 2 : count);
            assert_int_equal(s->fake->config.block[0], 256);
        }
        for (size_t i = 0; !s->fake && i < bytes / sizeof *x; i++) {
            unsigned short wanted = i >= (size_t)count * WIDTH ? 0xffff : i % 2 ? 0x3e00 : 0x3800;
            if (out[i] != wanted)
                fail_msg("%d rows: element %d is 0x%04x", count, (int)i, out[i]);
        }
    }
    tilec_kernel_destroy(kernel);
    free(x);
    free(out);
}

/* Rows of 64 KB, of which so many have code that fetches ahead; one less, and they have that for
 * any number. With either, and with launches that overlap, rows are right. */
static void long_launches_fetch_ahead(void **result)
{
    enum { LONG = 1536, WIDTH = 16384, ELEMENTS = (LONG + 1) * WIDTH };
    static const char source_text[] =
        "#include <tilec/kernel.h>\n"
        "launch_grid(scaled, rows);\n"
        "kernel void scaled(const float *restrict X, float *restrict Out, int rows)\n"
        "{\n"
        "    int64_t i = (int64_t)program_id(0) * 16384 + arange(0, 16384);\n"
        "    float x = load(X + i);\n"
        "    store(Out + i, x + sum(x) / 16384);\n"
        "}\n";
    static const struct {
        int rows, overlap, made; /* variants, by then */
    } launches[] = {{LONG - 1, 0, 1}, {LONG, 0, 2}, {LONG + 1, 0, 2}, {3, 0, 2}, {LONG, 1, 3}};
    struct state *s = *result;
    need_compiler(s);
    tilec_source source = {.size = sizeof source, .path = "scaled.tile.c", .text = source_text};
    tilec_compile_options options = {.size = sizeof options, .target = "cuda"};
    tilec_kernel *kernel;
    void *x, *out;
    float *rows = s->fake ? NULL : malloc(sizeof *rows * ELEMENTS);
    expect(s, tilec_cuda_allocate(s->context, sizeof *rows * ELEMENTS, &x), TILEC_OK);
    expect(s, tilec_cuda_allocate(s->context, sizeof *rows * ELEMENTS, &out), TILEC_OK);
    for (int i = 0; rows && i < ELEMENTS; i++)
        rows[i] = (float)(i % 2) + (float)(i / WIDTH);
    if (rows)
        expect(s, tilec_cuda_copy(s->context, x, rows, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
    int before = s->fake ? s->fake->modules : 0;
    expect(s, tilec_compile(s->context, &source, &options, &kernel), TILEC_OK);
    for (size_t k = 0; k < sizeof launches / sizeof *launches; k++) {
        int count = launches[k].rows;
        tilec_launch_options launch = {.size = sizeof launch, .overlap = launches[k].overlap};
        const tilec_argument arguments[3] = {tilec_array(TILEC_F32, x, ELEMENTS),
                                             tilec_array(TILEC_F32, out, ELEMENTS),
                                             tilec_int(TILEC_I32, count)};
        expect(s, tilec_cuda_fill(s->context, out, 0, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
        expect(s, tilec_launch(kernel, NULL, arguments, 3, &launch), TILEC_OK);
        if (s->fake)
            assert_int_equal(s->fake->modules - before, launches[k].made);
        if (!rows)
            continue;
        expect(s, tilec_cuda_copy(s->context, rows, out, sizeof *rows * ELEMENTS, NULL), TILEC_OK);
        for (int i = 0; i < ELEMENTS; i++) {
            float row = (float)(i / WIDTH), wanted = (float)(i % 2) + row + (row + 0.5f);
            if (rows[i] != (i < count * WIDTH ? wanted : 0.0f))
                fail_msg("%d rows: element %d is %g", count, i, (double)rows[i]);
        }
    }
    tilec_kernel_destroy(kernel);
    expect(s, tilec_cuda_free(s->context, x), TILEC_OK);
    expect(s, tilec_cuda_free(s->context, out), TILEC_OK);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_have_code_for_their_length, setup, teardown),
        cmocka_unit_test_setup_teardown(clusters_are_launched, setup, teardown),
        cmocka_unit_test_setup_teardown(conditions_and_grids_choose, setup, teardown),
        cmocka_unit_test_setup_teardown(many_rows_have_code_of_their_own, setup, teardown),
        cmocka_unit_test_setup_teardown(a_fixed_length_has_one_code, setup, teardown),
        cmocka_unit_test_setup_teardown(long_axes_are_folded, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_run_several_programs, setup, teardown),
        cmocka_unit_test_setup_teardown(many_rows_share_blocks, setup, teardown),
        cmocka_unit_test_setup_teardown(long_launches_fetch_ahead, setup, teardown),
    };
    return RUN_TESTS(tests, NULL, NULL);
}
