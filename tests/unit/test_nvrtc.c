/* What surrounds NVRTC, with a stand-in for it: results, and that no program is lost where memory
 * is out, at whichever allocation. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dlfcn.h>
#include <cmocka.h>

#include "base/guard.h"
#include "run/nvrtc.h"

struct state {
    const struct nvrtc *nvrtc;
    const int *open; /* programs of the stand-in */
};

static int set_up(void **state)
{
    static struct state s;
    char path[4096], why[200];
    const char *build = getenv("TILEC_BUILD_DIR");
    snprintf(path, sizeof path, "%s/libfake_nvrtc.so", build ? build : "build");
    void *library = dlopen(path, RTLD_NOW);
    if (!library)
        return -1;
    setenv("TILEC_NVRTC", path, 1);
    s.open = dlsym(library, "fake_nvrtc_open");
    s.nvrtc = nvrtc_open(why, sizeof why);
    *state = &s;
    return s.open && s.nvrtc ? 0 : -1;
}

static int tear_down(void **state)
{
    const struct state *s = *state;
    free((void *)(uintptr_t)s->nvrtc);
    return 0;
}

struct compiling {
    const struct state *state;
    struct arena *arena;
    struct nvrtc_output output;
    bool ptx, compiled;
};

static void compile(void *user)
{
    struct compiling *c = user;
    struct nvrtc_request request = {
        .text = "text", .arch = "sm_80", .ptx = c->ptx, .define = "N=1"};
    c->compiled = nvrtc_compile(c->state->nvrtc, &request, c->arena, &c->output);
}

static void gives_code_and_resources(void **state)
{
    for (int ptx = 0; ptx < 2; ptx++) {
        struct arena arena;
        struct compiling c = {.state = *state, .arena = &arena, .ptx = ptx != 0};
        arena_init(&arena, allocator_default, NULL);
        assert_true(guard_run(&arena, compile, &c) && c.compiled);
        assert_string_equal(c.output.bytes, "code");
        assert_int_equal(c.output.size, ptx ? 4 : 5);
        assert_int_equal(c.output.resources.registers, 12);
        assert_int_equal(c.output.resources.shared_bytes, 64);
        assert_string_equal(c.output.log, "something else\n");
        assert_int_equal(*c.state->open, 0);
        arena_free(&arena);
    }
}

static void gives_programs_back_without_memory(void **state)
{
    int failed = 0;
    bool finished = false;
    for (size_t limit = 1; !finished; limit += 8) {
        struct arena arena;
        struct compiling c = {.state = *state, .arena = &arena};
        arena_init(&arena, allocator_default, NULL);
        arena.limit = limit;
        finished = guard_run(&arena, compile, &c);
        failed += !finished;
        assert_int_equal(*c.state->open, 0);
        arena_free(&arena);
    }
    assert_true(failed > 10); /* before the program is made, and behind that */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_code_and_resources),
        cmocka_unit_test(gives_programs_back_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
