/*
 * Tiles that share scratch memory (src/cpu/lives.h): what shares and what must not, that wrong
 * places are caught, and random programs, which are run with a memory that knows whose each part
 * is: what the verifier lets pass goes wrong in no run.
 */
#include "cpu/lives.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LINE = 64 };

struct state {
    jmp_buf out_of_memory;
    struct arena arena;
    struct cpu_lives *lives;
};

static int set_up(void **state)
{
    struct state *s = calloc(1, sizeof *s);
    *state = s;
    if (setjmp(s->out_of_memory))
        return -1;
    arena_init(&s->arena, allocator_default, &s->out_of_memory);
    s->lives = cpu_lives_new(&s->arena);
    return 0;
}

static int tear_down(void **state)
{
    struct state *s = *state;
    arena_free(&s->arena);
    free(s);
    return 0;
}

static struct cpu_life *tile(struct cpu_lives *lives, int number)
{
    return &lives->tiles.items[number];
}

/* A step that reads one tile and writes another; -1: none. */
static void step(struct cpu_lives *lives, int reads, int writes)
{
    cpu_lives_mark(lives, CPU_MARK_STEP);
    if (reads >= 0)
        cpu_lives_use(lives, reads, false);
    if (writes >= 0)
        cpu_lives_use(lives, writes, true);
}

static int made(struct cpu_lives *lives, int reads)
{
    int number = cpu_lives_add(lives, LINE);
    step(lives, reads, number);
    return number;
}

static void expect(struct cpu_lives *lives, int64_t bytes)
{
    assert_int_equal(cpu_lives_share(lives), bytes);
    assert_true(cpu_lives_verify(lives));
}

/* Whether it is caught if b lies where a does. */
static void expect_caught(struct cpu_lives *lives, int a, int b)
{
    int64_t offset = tile(lives, b)->offset;
    tile(lives, b)->offset = tile(lives, a)->offset;
    assert_false(cpu_lives_verify(lives));
    tile(lives, b)->offset = offset;
    assert_true(cpu_lives_verify(lives));
}

/* ---- by hand --------------------------------------------------------------------------------- */

static void test_a_chain_takes_two_places(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int number = made(l, -1);
    for (int i = 0; i < 50; i++)
        number = made(l, number);
    step(l, number, -1);
    expect(l, 2 * LINE);
    expect_caught(l, number - 1, number); /* a step reads the one and writes the other */
}

static void test_what_is_wanted_later_keeps_its_place(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int kept = made(l, -1), a = made(l, -1), b = made(l, a), c = made(l, b);
    step(l, c, -1);
    step(l, kept, -1);
    expect(l, 3 * LINE);
    for (int other = a; other <= c; other++)
        expect_caught(l, kept, other);
    assert_int_equal(tile(l, a)->offset, tile(l, c)->offset);
}

static void test_what_nothing_uses_has_no_place(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int a = made(l, -1);
    cpu_lives_add(l, 1 << 20);
    step(l, a, -1);
    expect(l, LINE);
}

static void test_large_tiles_take_the_place_of_small_ones(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int a = made(l, -1), b = made(l, a), large = cpu_lives_add(l, 2 * LINE);
    step(l, b, -1);
    step(l, -1, large);
    step(l, large, -1);
    expect(l, 2 * LINE);
    assert_int_equal(tile(l, large)->offset, 0);
    expect_caught(l, a, b);
}

/* What a loop reads in each round is there in the next one. */
static void test_a_loop_keeps_what_was_made_before(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int before = made(l, -1);
    cpu_lives_mark(l, CPU_MARK_LOOP);
    int a = made(l, before), b = made(l, a), c = made(l, b);
    step(l, c, -1);
    cpu_lives_mark(l, CPU_MARK_REPEAT);
    int behind = made(l, -1);
    step(l, behind, -1);
    expect(l, 3 * LINE);
    for (int other = a; other <= c; other++)
        expect_caught(l, before, other);
    assert_int_equal(tile(l, behind)->offset, tile(l, before)->offset);
}

/* Also in loops inside of it, and around it. */
static void test_loops_in_loops(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int before = made(l, -1);
    cpu_lives_mark(l, CPU_MARK_LOOP);
    int inside = made(l, -1);
    cpu_lives_mark(l, CPU_MARK_LOOP);
    int a = made(l, before), b = made(l, inside);
    step(l, a, -1);
    step(l, b, -1);
    cpu_lives_mark(l, CPU_MARK_REPEAT);
    int c = made(l, -1);
    step(l, c, -1);
    cpu_lives_mark(l, CPU_MARK_REPEAT);
    expect(l, 4 * LINE);
    expect_caught(l, before, inside);
    expect_caught(l, before, a);
    expect_caught(l, before, c);
    expect_caught(l, inside, a);
    assert_int_equal(tile(l, inside)->offset, tile(l, c)->offset);
}

/* A tile that a loop carries, written before it, at its end and read behind it. */
static void test_a_carried_tile(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int carried = made(l, -1);
    cpu_lives_mark(l, CPU_MARK_LOOP);
    int a = made(l, carried), b = made(l, a);
    step(l, b, carried);
    int c = made(l, -1);
    step(l, c, -1);
    cpu_lives_mark(l, CPU_MARK_REPEAT);
    step(l, carried, -1);
    expect(l, 3 * LINE);
    for (int other = a; other <= c; other++)
        expect_caught(l, carried, other);
}

/* Its results are what its condition leaves. */
static void test_a_loop_that_is_left_in_between(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int in = made(l, -1), out = cpu_lives_add(l, LINE);
    cpu_lives_mark(l, CPU_MARK_LOOP);
    int a = made(l, in);
    step(l, a, out);
    cpu_lives_mark(l, CPU_MARK_LEAVE);
    int b = made(l, out);
    step(l, b, in);
    cpu_lives_mark(l, CPU_MARK_REPEAT);
    step(l, out, -1);
    expect(l, 3 * LINE);
    assert_int_equal(tile(l, a)->offset, tile(l, b)->offset);
    expect_caught(l, in, out);
    expect_caught(l, out, b);
    expect_caught(l, in, a);
}

static void test_sides_of_a_branch_share(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int before = made(l, -1), result = cpu_lives_add(l, LINE);
    cpu_lives_mark(l, CPU_MARK_IF);
    int a = made(l, before);
    step(l, a, result);
    cpu_lives_mark(l, CPU_MARK_ELSE);
    int b = made(l, before);
    step(l, b, result);
    cpu_lives_mark(l, CPU_MARK_ENDIF);
    step(l, result, -1);
    expect(l, 3 * LINE);
    assert_int_equal(tile(l, a)->offset, tile(l, b)->offset);
    expect_caught(l, a, result);
    expect_caught(l, result, b); /* as a step reads the one and writes the other */
    expect_caught(l, before, b);
}

/* What one side spoils is spoilt behind the branch. */
static void test_a_branch_around_it(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    int before = made(l, -1);
    for (int side = 0; side < 2; side++) {
        cpu_lives_mark(l, CPU_MARK_IF);
        if (side == 0)
            step(l, made(l, -1), -1);
        cpu_lives_mark(l, CPU_MARK_ELSE);
        if (side == 1)
            step(l, made(l, -1), -1);
        cpu_lives_mark(l, CPU_MARK_ENDIF);
    }
    step(l, before, -1);
    expect(l, 2 * LINE);
    expect_caught(l, before, before + 1);
    expect_caught(l, before, before + 2);
}

static void test_what_was_never_written_is_caught(void **state)
{
    struct cpu_lives *l = ((struct state *)*state)->lives;
    step(l, cpu_lives_add(l, LINE), -1);
    cpu_lives_share(l);
    assert_false(cpu_lives_verify(l));
}

/* ---- at random ------------------------------------------------------------------------------- */

enum { MOST_TILES = 64, ROUNDS = 20, PROGRAMS = 3000, PLACES = MOST_TILES * 4 };

struct writer { /* of a random program */
    struct cpu_lives *lives;
    uint64_t seed;
    int there[MOST_TILES]; /* tiles that may be read */
    int count, left;
};

static uint64_t next_bits(uint64_t *seed) /* splitmix64 */
{
    uint64_t mixed = *seed += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static int below(struct writer *w, int count)
{
    return (int)(next_bits(&w->seed) % (uint64_t)count);
}

static int new_tile(struct writer *w)
{
    return cpu_lives_add(w->lives, LINE * (1 + below(w, 3)));
}

/* Reads up to three, then writes one, or what it may read once more. */
static void write_step(struct writer *w, int writes)
{
    cpu_lives_mark(w->lives, CPU_MARK_STEP);
    for (int i = below(w, 4); i > 0 && w->count > 0; i--)
        cpu_lives_use(w->lives, w->there[below(w, w->count)], false);
    cpu_lives_use(w->lives, writes, true);
}

static void write_some(struct writer *w, int depth);

/* Several tiles that a loop carries, or that a branch results in. */
static void write_loop(struct writer *w, int depth)
{
    int carried = new_tile(w), result = below(w, 2) ? new_tile(w) : -1, count = w->count;
    write_step(w, carried);
    cpu_lives_mark(w->lives, CPU_MARK_LOOP);
    w->there[w->count++] = carried;
    write_some(w, depth);
    if (result >= 0) {
        write_step(w, result);
        cpu_lives_mark(w->lives, CPU_MARK_LEAVE);
        w->there[w->count++] = result;
        write_some(w, depth);
    }
    write_step(w, carried);
    cpu_lives_mark(w->lives, CPU_MARK_REPEAT);
    w->count = count;
    w->there[w->count++] = result < 0 ? carried : result;
}

static void write_branch(struct writer *w, int depth)
{
    int result = new_tile(w), count = w->count;
    cpu_lives_mark(w->lives, CPU_MARK_IF);
    for (int side = 0; side < 2; side++) {
        write_some(w, depth);
        write_step(w, result);
        w->count = count;
        cpu_lives_mark(w->lives, side ? CPU_MARK_ENDIF : CPU_MARK_ELSE);
    }
    w->there[w->count++] = result;
}

static void write_some(struct writer *w, int depth)
{
    for (int i = 1 + below(w, 5); i > 0 && w->left > 4; i--) {
        w->left -= 4;
        int kind = depth > 0 ? below(w, 5) : 2;
        if (kind == 0) {
            write_loop(w, depth - 1);
        } else if (kind == 1) {
            write_branch(w, depth - 1);
        } else {
            int number = new_tile(w);
            write_step(w, number);
            w->there[w->count++] = number;
        }
    }
}

struct run {
    const struct cpu_lives *lives;
    uint64_t seed;
    int holds[PLACES]; /* by line of memory */
    int steps;
    bool wrong;
};

static bool toss(struct run *r)
{
    return next_bits(&r->seed) >> 63;
}

static void use_line(struct run *r, const struct cpu_event *event, bool writes)
{
    const struct cpu_life *life = &r->lives->tiles.items[event->life];
    for (int64_t i = life->offset / LINE; i < (life->offset + life->bytes) / LINE; i++) {
        if (writes)
            r->holds[i] = event->life;
        else if (r->holds[i] != event->life)
            r->wrong = true;
    }
}

static bool is_mark(const struct cpu_event *event, enum cpu_mark mark)
{
    return event->is_mark && event->mark == mark;
}

/* The mark that ends what begins at `at`; between: or one in the midst of it. */
static size_t find_end(const struct run *r, size_t at, enum cpu_mark end, enum cpu_mark between)
{
    const struct cpu_event *events = r->lives->events.items;
    for (int depth = 0;; at++) {
        if (is_mark(&events[at], CPU_MARK_LOOP) || is_mark(&events[at], CPU_MARK_IF))
            depth++;
        if (depth == 1 && (is_mark(&events[at], end) || is_mark(&events[at], between)))
            return at;
        if (is_mark(&events[at], CPU_MARK_REPEAT) || is_mark(&events[at], CPU_MARK_ENDIF))
            depth--;
    }
}

static void run_events(struct run *r, size_t at, size_t end);

static void run_loop(struct run *r, size_t begin, size_t end)
{
    size_t leave = find_end(r, begin, CPU_MARK_REPEAT, CPU_MARK_LEAVE);
    if (leave == end) {
        for (int i = 0; i < 3 && toss(r); i++)
            run_events(r, begin + 1, end);
        return;
    }
    run_events(r, begin + 1, leave);
    for (int i = 0; i < 3 && toss(r); i++) {
        run_events(r, leave + 1, end);
        run_events(r, begin + 1, leave);
    }
}

static size_t run_step(struct run *r, size_t at, size_t end)
{
    const struct cpu_event *events = r->lives->events.items;
    size_t first = at;
    for (; at < end && !events[at].is_mark; at++)
        use_line(r, &events[at], events[at].writes);
    for (size_t i = first; i < at; i++)
        use_line(r, &events[i], false);
    return at;
}

static void run_events(struct run *r, size_t at, size_t end)
{
    const struct cpu_event *events = r->lives->events.items;
    while (at < end && r->steps++ < 100000) {
        if (!events[at].is_mark) {
            at = run_step(r, at, end);
        } else if (events[at].mark == CPU_MARK_LOOP) {
            size_t last = find_end(r, at, CPU_MARK_REPEAT, CPU_MARK_REPEAT);
            run_loop(r, at, last);
            at = last + 1;
        } else if (events[at].mark == CPU_MARK_IF) {
            size_t other = find_end(r, at, CPU_MARK_ELSE, CPU_MARK_ELSE);
            size_t last = find_end(r, at, CPU_MARK_ENDIF, CPU_MARK_ENDIF);
            if (toss(r))
                run_events(r, at + 1, other);
            else
                run_events(r, other + 1, last);
            at = last + 1;
        } else {
            at++;
        }
    }
}

/* Whether something goes wrong in one of some runs. */
static bool goes_wrong(const struct cpu_lives *lives, uint64_t seed)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct run run = {.lives = lives, .seed = seed + (uint64_t)i};
        memset(run.holds, 0xff, sizeof run.holds);
        run_events(&run, 0, lives->events.count);
        if (run.wrong)
            return true;
    }
    return false;
}

static void test_random_programs(void **state)
{
    struct state *s = *state;
    int64_t apart = 0, together = 0;
    int caught = 0, went_wrong = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        struct arena_mark mark = arena_mark(&s->arena);
        struct writer w = {.lives = cpu_lives_new(&s->arena), .seed = (uint64_t)i, .left = 60};
        struct cpu_lives *l = w.lives;
        write_some(&w, 3);
        assert_true(l->tiles.count < MOST_TILES);
        int64_t sum = 0, total = cpu_lives_share(l);
        for (size_t k = 0; k < l->tiles.count; k++) {
            sum += tile(l, (int)k)->bytes;
            assert_int_equal(tile(l, (int)k)->offset % LINE, 0);
            assert_true(tile(l, (int)k)->offset + tile(l, (int)k)->bytes <= total);
        }
        assert_true(total <= sum);
        assert_true(cpu_lives_verify(l));
        assert_false(goes_wrong(l, (uint64_t)i));
        apart += sum;
        together += total;
        for (int change = 0; change < 8; change++) {
            struct cpu_life *moved = tile(l, below(&w, (int)l->tiles.count));
            int64_t offset = moved->offset;
            moved->offset = below(&w, (int)(total / LINE)) * LINE;
            bool passes = cpu_lives_verify(l), wrong = goes_wrong(l, (uint64_t)i);
            assert_false(passes && wrong);
            caught += !passes;
            went_wrong += wrong;
            moved->offset = offset;
        }
        arena_rewind(&s->arena, mark);
    }
    printf("%lld lines apart, %lld together; of %d wrong places %d were caught that go wrong\n",
           (long long)apart / LINE, (long long)together / LINE, caught, went_wrong);
    assert_true(together < apart && went_wrong > PROGRAMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_chain_takes_two_places, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wanted_later_keeps_its_place, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_what_nothing_uses_has_no_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_large_tiles_take_the_place_of_small_ones, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_a_loop_keeps_what_was_made_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_loops_in_loops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_carried_tile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_loop_that_is_left_in_between, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_sides_of_a_branch_share, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_branch_around_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_was_never_written_is_caught, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_random_programs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
