/*
 * random_kernels: random kernels on the interpreter and on other targets, compared.
 *
 *   random_kernels [--count N] [--seed S] [--step D] [--targets interp,cpu,msl-host]
 *                  [--cpu LEVEL] [--require NAME=VALUE] [--show] [--failures N] [--least N]
 *                  [--overlap | --blocks]
 *   random_kernels --targets interp,c:cc ...
 *
 * Kernel i has seed S + i * D; those of rows have every third seed. With --overlap all are kernels
 * whose arrays overlap, with --blocks of tiles in blocks. Kernels are checked in a child
 * process, many per child; a child that dies has found something as well. The target cuda-code
 * makes code for the architecture --cpu and does not run it; without NVIDIA's compiler the status
 * is 77. The target cpu-variants is all the code that the CPU backend may make of a kernel
 * (tests/variants.h), of which each path must be taken by --least kernels, or the status is 1. The
 * target c:COMPILER is the kernel as C; all kernels are then programs that mean the same there,
 * with bfloat where all such compilers have it. What fails is made smaller and printed as a golden
 * test; the status is then 1.
 */
#include "c/native.h"
#include "kernel.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KERNELS_PER_CHILD = 200, SECONDS_PER_KERNEL = 60, SECONDS_OF_WAITING = 600 };

static const char *const outcome_names[] = {
    [OUTCOME_SAME] = "the same",
    [OUTCOME_COMPILE] = "does not compile",
    [OUTCOME_FAULT] = "fault",
    [OUTCOME_LAUNCH] = "cannot be launched",
    [OUTCOME_DIFFERENT] = "different results",
    [OUTCOME_CRASH] = "crash",
    [OUTCOME_MISSING] = "cannot be compiled here",
    [OUTCOME_TIMEOUT] = "no end",
    [OUTCOME_REFUSED] = "refused",
};

struct settings {
    uint64_t seed, count, step;
    int failures;   /* stop after so many */
    uint64_t least; /* kernels that must take each path of the CPU's code */
    bool show, overlap, blocks;
    bool bfloat; /* all compilers of C have it */
    int target_count;
    char targets[MAX_TARGETS][TARGET_NAME]; /* the first is the reference */
    const char *level;                      /* of the processor, or NULL */
    const char *requirement;                /* of all kernels, or NULL */
};

/* What parent and child share. */
struct shared {
    uint64_t done; /* kernels that this child finished */
    struct result result;
    uint64_t refused;                 /* of all children */
    uint64_t exact, bounded, unknown; /* likewise; see struct result */
    uint64_t paths[VARIANTS_COLUMNS][CPU_PATH_COUNT];
};

static struct settings settings = {.seed = 1,
                                   .count = 1000,
                                   .step = 1,
                                   .failures = 3,
                                   .target_count = 2,
                                   .targets = {"interp", "cpu"}};

/* How the name begins. */
static bool has_target(const char *name)
{
    for (int i = 0; i < settings.target_count; i++)
        if (strncmp(settings.targets[i], name, strlen(name)) == 0)
            return true;
    return false;
}

static bool have_bfloat(void)
{
    for (int i = 0; i < settings.target_count; i++)
        if (strncmp(settings.targets[i], "c:", 2) == 0 &&
            !native_has_bfloat(settings.targets[i] + 2))
            return false;
    return has_target("c:");
}

static bool is_metal(void)
{
    return has_target("msl");
}

static struct kernel *generate(struct arena *arena, uint64_t seed)
{
    if (settings.overlap)
        return generate_overlapping(arena, seed, is_metal());
    if (settings.blocks)
        return generate_blocked(arena, seed, is_metal());
    return has_target("c:") ? generate_program(arena, seed, settings.bfloat)
                            : generate_kernel(arena, seed, is_metal());
}

/* Runs work in a child, which reports through shared. False: the result is not "the same". */
static bool in_child(struct shared *shared, void (*work)(struct shared *shared, void *user),
                     void *user)
{
    fflush(stdout);
    fflush(stderr);
    shared->done = 0;
    shared->result = (struct result){.outcome = OUTCOME_CRASH};
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        exit(2);
    }
    if (child == 0) {
        work(shared, user);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        shared->result.outcome = WTERMSIG(status) == SIGALRM ? OUTCOME_TIMEOUT : OUTCOME_CRASH;
        snprintf(shared->result.detail, sizeof shared->result.detail, "signal %d\n",
                 WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
        shared->result.outcome = OUTCOME_CRASH;
        snprintf(shared->result.detail, sizeof shared->result.detail, "status %d\n",
                 WEXITSTATUS(status));
    }
    return shared->result.outcome == OUTCOME_SAME;
}

/* Ends the child when one kernel takes too long. Processor time counts: the machine may be busy;
 * waiting for ever is a defect as well. */
static void limit_time(void)
{
    const struct itimerval limit = {.it_value = {.tv_sec = SECONDS_PER_KERNEL}};
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(SECONDS_OF_WAITING);
}

static struct checker *new_checker(void)
{
    struct checker *checker = checker_create(settings.target_count, settings.targets,
                                             settings.level, settings.requirement);
    if (!checker) {
        fprintf(stderr, "random_kernels: no context\n");
        _exit(3);
    }
    return checker;
}

/* ---- many kernels --------------------------------------------------------------------------- */

struct batch { /* by number, from 0 */
    uint64_t first, count;
};

static uint64_t seed_of(uint64_t number)
{
    return settings.seed + number * settings.step;
}

/* A compiler of C sees all kernels of a batch in one file. */
static void compile_batch(struct checker *checker, const struct batch *batch)
{
    jmp_buf out_of_memory;
    struct arena arena;
    if (setjmp(out_of_memory))
        _exit(4);
    arena_init(&arena, allocator_default, &out_of_memory);
    struct kernel **kernels = ARENA_ARRAY(&arena, struct kernel *, batch->count);
    for (uint64_t i = 0; i < batch->count; i++)
        kernels[i] = generate(&arena, seed_of(batch->first + i));
    checker_compile(checker, kernels, batch->count);
    arena_free(&arena);
}

static void check_batch(struct shared *shared, void *user)
{
    const struct batch *batch = user;
    struct checker *checker = new_checker();
    if (has_target("c:"))
        compile_batch(checker, batch);
    for (uint64_t i = 0; i < batch->count; i++) {
        jmp_buf out_of_memory;
        struct arena arena;
        if (setjmp(out_of_memory))
            _exit(4);
        arena_init(&arena, allocator_default, &out_of_memory);
        limit_time();
        check_kernel(checker, generate(&arena, seed_of(batch->first + i)), &shared->result);
        arena_free(&arena);
        shared->refused += shared->result.outcome == OUTCOME_REFUSED;
        if (shared->result.outcome == OUTCOME_REFUSED)
            shared->result.outcome = OUTCOME_SAME;
        if (shared->result.outcome != OUTCOME_SAME)
            break;
        shared->done = i + 1;
    }
    checker_destroy(checker);
}

/* ---- one that fails ------------------------------------------------------------------------- */

static void check_one(struct shared *shared, void *user)
{
    struct kernel *kernel = user;
    struct checker *checker = new_checker();
    limit_time();
    if (has_target("c:"))
        checker_compile(checker, &kernel, 1);
    check_kernel(checker, kernel, &shared->result);
    checker_destroy(checker);
}

struct search {
    struct shared *shared;
    struct result wanted;
};

/* Compile errors must be the same ones: shrinking makes new ones all too easily. */
static bool fails_alike(void *user, struct kernel *kernel)
{
    struct search *search = user;
    if (in_child(search->shared, check_one, kernel))
        return false;
    const struct result *result = &search->shared->result;
    if (result->outcome != search->wanted.outcome)
        return false;
    if (result->outcome != OUTCOME_COMPILE && result->outcome != OUTCOME_FAULT)
        return true;
    const char *a = strstr(result->detail, "error:"), *b = strstr(search->wanted.detail, "error:");
    return a && b && strncmp(a, b, 24) == 0;
}

static void report(struct shared *shared, uint64_t seed)
{
    jmp_buf out_of_memory;
    struct arena arena;
    if (setjmp(out_of_memory))
        exit(2);
    arena_init(&arena, allocator_default, &out_of_memory);
    struct search search = {shared, shared->result};
    printf("seed %" PRIu64 ": %s\n%s", seed, outcome_names[shared->result.outcome],
           shared->result.detail);
    struct kernel *kernel = generate(&arena, seed);
    if (fails_alike(&search,
                    kernel)) /* else it does so only at times, and cannot be made smaller */
        shrink_kernel(kernel, fails_alike, &search);
    bool again = !in_child(shared, check_one, kernel);
    printf("--- smaller (%s%s) ---\n%s%s\n", outcome_names[shared->result.outcome],
           again ? "" : ", but not every time", shared->result.detail, render_golden(kernel));
    arena_free(&arena);
}

static int check_all(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 2;
    }
    int failures = 0;
    uint64_t next = 0, end = settings.count;
    while (next < end && failures < settings.failures) {
        uint64_t count = end - next < KERNELS_PER_CHILD ? end - next : KERNELS_PER_CHILD;
        struct batch batch = {next, count};
        bool same = in_child(shared, check_batch, &batch);
        shared->exact += shared->result.exact;
        shared->bounded += shared->result.bounded;
        shared->unknown += shared->result.unknown;
        for (int i = 0; i < VARIANTS_COLUMNS; i++)
            for (int k = 0; k < CPU_PATH_COUNT; k++)
                shared->paths[i][k] += shared->result.paths[i][k];
        if (same) {
            next += count;
            continue;
        }
        if (shared->result.outcome == OUTCOME_MISSING) {
            printf("skipped: %s", shared->result.detail);
            return 77;
        }
        next += shared->done;
        report(shared, seed_of(next++));
        failures++;
    }
    printf("random_kernels: %" PRIu64 " kernels from seed %" PRIu64 " on", next, settings.seed);
    for (int i = 0; i < settings.target_count; i++)
        printf("%s %s", i ? "," : "", settings.targets[i]);
    printf("; %d failure%s\n", failures, failures == 1 ? "" : "s");
    printf("random_kernels: of the elements %" PRIu64 " had to be the same, %" PRIu64
           " within a bound, %" PRIu64 " were free\n",
           shared->exact, shared->bounded, shared->unknown);
    if (shared->refused)
        printf("random_kernels: %" PRIu64 " kernels were beyond a limit of Metal\n",
               shared->refused);
    bool enough = true;
    if (has_target("cpu-variants"))
        enough = variants_print_counts(shared->paths, settings.level, settings.least);
    return failures || !enough;
}

/* ---- the command line ----------------------------------------------------------------------- */

static int show(void)
{
    jmp_buf out_of_memory;
    struct arena arena;
    if (setjmp(out_of_memory))
        return 2;
    arena_init(&arena, allocator_default, &out_of_memory);
    for (uint64_t i = 0; i < settings.count; i++)
        puts(render_golden(generate(&arena, seed_of(i))));
    arena_free(&arena);
    return 0;
}

static int usage(void)
{
    fprintf(
        stderr,
        "usage: random_kernels [--count N] [--seed S] [--step D] "
        "[--targets interp,cpu,...] [--cpu LEVEL] [--require NAME=VALUE] [--show] [--failures N] "
        "[--least N] [--overlap | --blocks]\n");
    return 2;
}

static bool read_targets(const char *text)
{
    settings.target_count = 0;
    while (*text && settings.target_count < MAX_TARGETS) {
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= TARGET_NAME)
            return false;
        snprintf(settings.targets[settings.target_count++], TARGET_NAME, "%.*s", (int)length, text);
        text += length + (text[length] == ',');
    }
    return !*text && settings.target_count >= 2;
}

/* Tests skip what cannot run here. */
static bool can_check(void)
{
    int status;
    pid_t child = fork(); /* no driver of a GPU survives a fork */
    if (child < 0)
        return true;
    if (child == 0) {
        struct checker *checker = new_checker();
        bool available = checker_is_available(checker);
        checker_destroy(checker);
        _exit(!available);
    }
    return waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool *flag = strcmp(argv[i], "--show") == 0      ? &settings.show
                     : strcmp(argv[i], "--overlap") == 0 ? &settings.overlap
                     : strcmp(argv[i], "--blocks") == 0  ? &settings.blocks
                                                         : NULL;
        if (flag) {
            *flag = true;
            continue;
        }
        if (!value)
            return usage();
        i++;
        if (strcmp(argv[i - 1], "--count") == 0)
            settings.count = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--seed") == 0)
            settings.seed = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--step") == 0)
            settings.step = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--cpu") == 0)
            settings.level = value;
        else if (strcmp(argv[i - 1], "--require") == 0)
            settings.requirement = value;
        else if (strcmp(argv[i - 1], "--least") == 0)
            settings.least = strtoull(value, NULL, 10);
        else if (strcmp(argv[i - 1], "--failures") == 0)
            settings.failures = atoi(value);
        else if (strcmp(argv[i - 1], "--targets") != 0 || !read_targets(value))
            return usage();
    }
    settings.bfloat = have_bfloat();
    if (settings.show)
        return show();
    return can_check() ? check_all() : 77;
}
