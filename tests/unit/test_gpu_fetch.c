/*
 * What programs fetch ahead (src/gpu/fetch_ahead.c): in lockstep each thread of a program fetches
 * exactly what the same thread of the program so many places further on loads outside of branches
 * and loops, in front of the first meeting, at addresses that hang on the program's number; nothing
 * where there is no such program. The launch's results stay those of the interpreter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "gpu_case.h"
#include "gpu_like.h"

enum { ELEMENTS = 1 << 14, MOST_READS = 1 << 15 };

static const struct gpu_target target = {GPU_LIKE_NVIDIA,     .name = "test",
                                         .most_threads = 256, .fetches = true,
                                         .predicates = true,  .exchange_bytes = 32768};

/* Lines with "ahead" have the loads that are fetched for; no other may be. */
static const struct {
    const char *name, *body;
    int64_t grid[3];
} kernels[] = {
    {"a row that is summed up, and weights, which are the same for all",
     "    int col = arange(0, 256);\n"
     "    float x = load(X + program_id(0) * 256 + col); /* ahead */\n"
     "    store(Out + program_id(0) * 256 + col, x + sum(x) + load(X + col));\n",
     {9, 1, 1}},
    {"a mask that hangs on the program",
     "    int i = program_id(0) * 256 + arange(0, 256);\n"
     "    float x = load(X + i, i < n, 0.0f); /* ahead */\n"
     "    store(Out + i, x + sum(x));\n",
     {8, 1, 1}},
    {"two rows, one counted from the last",
     "    int col = arange(0, 256), back = num_programs(0) - 1 - program_id(0);\n"
     "    float x = load(X + program_id(0) * 256 + col); /* ahead */\n"
     "    float y = load(X + back * 256 + col); /* ahead */\n"
     "    store(Out + program_id(0) * 256 + col, sum(x * y) + x);\n",
     {7, 1, 1}},
    {"tiles of a matrix, along two axes",
     "    auto x = view(X, m, n);\n"
     "    int i = program_id(0) * 16, j = program_id(1) * 16;\n"
     "    float t = tile_load(x, i, j, 16, 16); /* ahead */\n"
     "    tile_store(view(Out, n, m), j, i, trans(t));\n",
     {3, 4, 1}},
    {"in a loop, and through an index that is loaded; the index itself is moved to the front",
     "    int col = arange(0, 256);\n"
     "    float x = load(X + program_id(0) * 256 + col); /* ahead */\n"
     "    float s = sum(x);\n"
     "    for (int k = 0; k < m; k++)\n"
     "        s += sum(load(X + (program_id(0) + k) * 256 + col));\n"
     "    int at = (int)load(X + program_id(0)) & 7; /* ahead */\n"
     "    store(Out + program_id(0) * 256 + col, x + s + load(X + at * 256 + col));\n",
     {4, 1, 1}},
    {"at places that each program draws from memory",
     "    int col = arange(0, 256);\n"
     "    int at = (int)atomic_add(Out + 8192 + col, 1.0f) & 7;\n"
     "    float x = load(X + program_id(0) * 256 + col); /* ahead */\n"
     "    float y = load(X + program_id(0) * 256 + at * 8 + col);\n"
     "    store(Out + program_id(0) * 256 + col, x + sum(x) + y);\n",
     {6, 1, 1}},
};

struct read { /* of one element, so that vectors and elements compare */
    int64_t program;
    int thread;
    uint64_t address;
    bool fetch;
};

struct reads {
    struct read items[MOST_READS];
    size_t count;
    const struct ir_op *wanted[64]; /* at the lines that are marked */
    int wanted_count;
};

static void note_read(void *user, const struct machine *m, const struct ir_op *op, int thread,
                      uint64_t address)
{
    struct reads *r = user;
    bool fetch = (int)op->code == GPU_OP_FETCH, wanted = fetch;
    for (int i = 0; i < r->wanted_count; i++)
        wanted = wanted || r->wanted[i] == op;
    assert_true(r->count < MOST_READS);
    int64_t program = m->program[0] + m->grid[0] * m->program[1];
    if (wanted)
        r->items[r->count++] = (struct read){program, thread, address, fetch};
}

static void find_wanted(struct reads *r, const struct ir_func *func, const char *text)
{
    for (const struct ir_op *op = func->body->first; op; op = op->next) {
        bool loads = op->code == IR_OP_LOAD || (int)op->code == GPU_OP_VECTOR_LOAD;
        if (!loads || op->operands[0]->type.space != IR_SPACE_DEVICE)
            continue;
        const char *line = text + op->range.begin, *marked = strstr(line, "/* ahead */");
        if (marked && marked < strchr(line, '\n'))
            r->wanted[r->wanted_count++] = op;
    }
}

static bool has(const struct reads *r, const struct read *read)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct read *other = &r->items[i];
        if (other->program == read->program && other->thread == read->thread &&
            other->address == read->address && other->fetch == read->fetch)
            return true;
    }
    return false;
}

/* Each fetch is a load of the program ahead, and each load of a program that has one so far behind
 * was fetched. */
static void compare(const struct reads *r, const char *name, int ahead, int64_t programs)
{
    size_t fetches = 0, loads = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct read other = r->items[i];
        bool fetch = other.fetch;
        other.fetch = !fetch;
        other.program += fetch ? ahead : -ahead;
        fetches += fetch;
        loads += !fetch;
        if (other.program >= 0 && other.program < programs && !has(r, &other))
            fail_msg("%s: program %d, thread %d: %s alone", name, (int)r->items[i].program,
                     other.thread, fetch ? "fetches" : "loads");
        if (fetch && other.program >= programs)
            fail_msg("%s: fetches for a program that there is not", name);
    }
    if (loads == 0 || (fetches == 0) != (ahead >= programs))
        fail_msg("%s: %d loads, %d fetches", name, (int)loads, (int)fetches);
}

static void check(size_t k, int ahead, bool aligned)
{
    jmp_buf out_of_memory;
    struct arena arena;
    struct diagnostics diagnostics;
    struct machine machine;
    struct text text;
    arena_init(&arena, allocator_default, &out_of_memory);
    if (setjmp(out_of_memory))
        fail_msg("out of memory");
    diagnostics_init(&diagnostics, &arena);
    text_init(&text, &arena);
    text_format(
        &text,
        "#include <tilec/kernel.h>\nkernel void k(const float *restrict X, float *restrict Out,"
        " int m, int n)\n{\n%s}\n",
        kernels[k].body);
    struct ir_kernel *kernel = gpu_case_kernel(&arena, &diagnostics, text.items, NULL);
    struct ir_requirement requirement = {.name = "fetch_ahead", .number = ahead};
    kernel->requirements = &requirement;
    kernel->requirement_count = 1;
    struct gpu_plan *plan = plan_gpu(kernel, &target, false, &arena, &diagnostics);
    assert_non_null(plan);
    plan->aligned = aligned ? 15 : 0;
    struct gpu_options options = {.verify_each = true};
    struct gpu_kernel *gpu = gpu_lower(kernel, plan, &options, &arena, &diagnostics);
    if (!gpu)
        fail_msg("%s: %s", kernels[k].name, diagnostics.items[0].message);
    const int64_t *grid = kernels[k].grid;
    bool matrix = grid[1] > 1;
    int odd = aligned ? 0 : 5; /* the last tiles are not full */
    int m = matrix ? 48 - odd : 3, n = matrix ? 64 - odd : 2000 - odd;
    float *x = arena_alloc(&arena, ELEMENTS * sizeof *x + 16),
          *out = arena_alloc(&arena, ELEMENTS * sizeof *out + 16);
    float *wanted = arena_alloc(&arena, ELEMENTS * sizeof *wanted);
    for (int i = 0; i < ELEMENTS; i++)
        x[i] = (float)(i * 7 % 32);
    memset(out, 0, ELEMENTS * sizeof *out);
    memset(wanted, 0, ELEMENTS * sizeof *wanted);
    struct interp_argument values[] = {{.data = x, .elements = ELEMENTS},
                                       {.data = wanted, .elements = ELEMENTS},
                                       {.bits = (uint64_t)m},
                                       {.bits = (uint64_t)n}};
    struct interp_options run = {.grid = {grid[0], grid[1], grid[2]}};
    if (!interp_run(kernel->func, values, &run, &arena, &diagnostics))
        fail_msg("%s", diagnostics.items[0].message);
    struct machine_argument arguments[] = {{.data = x, .bytes = ELEMENTS * sizeof *x},
                                           {.data = out, .bytes = ELEMENTS * sizeof *out},
                                           {.bits = (uint64_t)m},
                                           {.bits = (uint64_t)n}};
    struct reads *reads = calloc(1, sizeof *reads);
    find_wanted(reads, gpu->func, text.items);
    const char *why = machine_run_reading(&machine, gpu, arguments, grid, note_read, reads);
    if (!why && memcmp(out, wanted, ELEMENTS * sizeof *out) != 0)
        why = "Out differs";
    if (why)
        fail_msg("%s: %s", kernels[k].name, why);
    compare(reads, kernels[k].name, ahead, grid[0] * grid[1]);
    free(reads);
    arena_free(&arena);
}

static void fetches_are_loads_of_programs_ahead(void **state)
{
    (void)state;
    static const int aheads[] = {1, 2, 3, 5, 100};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (size_t i = 0; i < sizeof aheads / sizeof *aheads; i++) {
            check(k, aheads[i], false);
            check(k, aheads[i], true);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fetches_are_loads_of_programs_ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
