#!/bin/sh
# Ahead of time: objects of several kinds of kernels are linked by programs in C99 and C++ that know
# nothing of tilec; they export what their headers declare and nothing else; a processor without any
# of the levels is an error status.
set -eu
tilec=$TILEC_BUILD_DIR/tilec
[ -e "$TILEC_BUILD_DIR/libtilec-cpu.so" ] || { echo "skipped: built without the CPU backend"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: objects for x86-64 do not run here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/kinds.tile.c" <<'KERNEL'
#include <tilec/kernel.h>

/* No grid, all kinds of scalars, a parameter that C++ reserves, scratch memory. */
launch_require(kinds, n % 2 == 0, "n is even */ /* not odd");
kernel void kinds(const half *X, double *Out, int n, int8_t small, bool flag, half h, float f, double new,
                  uint16_t u, int64_t l)
{
    int i = program_id(0) * 16 + arange(0, 16);
    double x = cast(double, load(X + i, i < n));
    double total = sum(x);
    double y = x + total + cast(double, small) + where(flag, 100.0, 0.0) + cast(double, h) + cast(double, f) +
               new + cast(double, u) + cast(double, l);
    tile_assert(x < 1000.0, "x is small");
    store(Out + i, y, i < n);
}
KERNEL

"$tilec" build "$work/kinds.tile.c" --target cpu --cpu x86-64-v3 --cpu generic \
    -o "$work/kinds.o" --header "$work/kinds.h"
"$tilec" build "$work/kinds.tile.c" --target cpu --cpu x86-64-v3 --cpu generic -D n=32 -D small=-3 \
    -D flag=true -D h=2.0 -D f=0.5 -D new=0.25 -D u=65535 -D l=-1 --symbol fixed \
    -o "$work/fixed.o" --header "$work/fixed.h"
"$tilec" build kernels/softmax.tile.c --target cpu -D BLOCK=256 --cpu x86-64-v4 --cpu x86-64-v3 \
    --cpu generic -o "$work/softmax.o" --header "$work/softmax.h"
"$tilec" build kernels/softmax.tile.c --target cpu -D BLOCK=256 --cpu native --symbol other \
    -o "$work/other.o" --header "$work/other.h"

# Two names that differ in case only; arrays that may overlap, and one that may not.
cat >"$work/places.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
launch_grid(apart, cdiv(n, 16));
launch_grid(Apart, cdiv(n, 16));
kernel void apart(const float *X, float *restrict Out, int n)
{
    int i = program_id(0) * 16 + arange(0, 16);
    store(Out + i, 2 * load(X + i, i < n), i < n);
}
kernel void Apart(const float *X, float *Out, int n)
{
    int i = program_id(0) * 16 + arange(0, 16);
    store(Out + i, 2 * load(X + i, i < n), i < n);
}
KERNEL
"$tilec" build "$work/places.tile.c" --cpu x86-64-v3 -o "$work/apart.o" --header "$work/apart.h"
"$tilec" build "$work/places.tile.c:Apart" --cpu x86-64-v3 -o "$work/loose.o" --header "$work/loose.h"

# Constants of the object: tables that are read in registers, from memory, by a scalar, and by its own
# function where what a switch does hangs on an argument.
cat >"$work/tables.tile.c" <<'KERNEL'
#include <tilec/kernel.h>
static const float small[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
static const int8_t bytes[64] = {[1] = -1, [63] = 63};
static const int large[300] = {[0] = 7, [299] = -299};
launch_grid(tables, cdiv(n, 16));
kernel void tables(const uint16_t *Q, float *Out, int n, int kind)
{
    int i = program_id(0) * 16 + arange(0, 16);
    int q = load(Q + i, i < n);
    float x = 0;
    switch (kind) {
    case 0:
        x = small[q & 15];
        break;
    case 1:
    case -1:
        x = bytes[q & 63] * kind;
        break;
    case 2:
        x = large[minimum(q, 299)];
        break;
    default:
        x = small[kind & 15] + 0.5f;
    }
    store(Out + i, x, i < n);
}
KERNEL
"$tilec" build "$work/tables.tile.c" --cpu generic --cpu x86-64-v3 --cpu x86-64-v4 -o "$work/tables.o" \
    --header "$work/tables.h"

exports() {
    nm -g --defined-only "$1" | awk '{ print $3 }' | sort | tr '\n' ' '
}
[ "$(exports "$work/kinds.o")" = "kinds kinds_call kinds_info " ]
[ "$(exports "$work/fixed.o")" = "fixed fixed_call fixed_info " ]
[ "$(exports "$work/softmax.o")" = "softmax softmax_call softmax_info " ]
[ "$(exports "$work/other.o")" = "other other_call other_info " ]
[ "$(exports "$work/tables.o")" = "tables tables_call tables_info " ]

cat >"$work/main.c" <<'MAIN'
#include "kinds.h"
#include "fixed.h"
#include "softmax.h"
#include "other.h"
#include "apart.h"
#include "loose.h"
#include "tables.h"
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: %s\n", __LINE__, #condition);                                         \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

enum { ROWS = 5, N = 700 };
static int failures, ranges;
static float x[ROWS * N], y[ROWS * N], z[ROWS * N];

/* From the back and in pieces of uneven size. */
static void run(void *user, int64_t count, void (*body)(void *, int64_t, int64_t), void *state)
{
    while (count > 0) {
        int64_t begin = count > 3 ? count - 3 : 0;
        body(state, begin, count);
        ranges++;
        count = begin;
    }
    *(int *)user += 1;
}

static void check_softmax(void)
{
    int loops = 0, i;
    struct tilec_aot_parallel parallel = {run, NULL};
    int64_t shape[2] = {ROWS, N}, negative[1] = {-1}, grid[3] = {0, 1, 1};
    const int64_t huge[3] = {INT64_MAX, 4, 1}, none[3] = {INT64_MAX, 4, 0};
    struct tilec_aot_argument a[4];
    double total = 0;
    parallel.user = &loops;
    for (i = 0; i < ROWS * N; i++)
        x[i] = (float)(i % 7);
    CHECK(softmax(x, y, ROWS, N, NULL) == TILEC_AOT_OK);
    for (i = 0; i < N; i++)
        total += (double)y[3 * N + i];
    CHECK(total > 0.9999 && total < 1.0001);
    CHECK(softmax(x, z, ROWS, N, &parallel) == TILEC_AOT_OK);
    CHECK(loops == 1 && ranges == 2);
    CHECK(memcmp(y, z, sizeof y) == 0);
    CHECK(softmax(x, z, 0, N, NULL) == TILEC_AOT_OK);
    CHECK(softmax(x, z, -1, N, NULL) == TILEC_AOT_GRID);

    memset(a, 0, sizeof a);
    a[0].data = x;
    a[1].data = z;
    a[0].shape = a[1].shape = shape;
    a[0].rank = a[1].rank = 2;
    a[0].type = a[1].type = TILEC_AOT_F32;
    a[2].type = a[3].type = TILEC_AOT_I32;
    a[2].bits = ROWS;
    a[3].bits = N;
    memset(z, 0, sizeof z);
    CHECK(other_call(a, 4, NULL, &parallel) == TILEC_AOT_OK);
    CHECK(other_info.call(a, other_info.parameter_count, NULL, NULL) == TILEC_AOT_OK);
    CHECK(softmax_call(a, 4, grid, NULL) == TILEC_AOT_OK);
    CHECK(softmax_call(a, 3, NULL, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(softmax_call(a, 5, NULL, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(softmax_call(NULL, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[2].bits = ROWS + 1; /* one row more than the arrays have */
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[2].bits = ROWS;
    a[0].type = TILEC_AOT_F16;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].type = TILEC_AOT_F32;
    a[0].rank = 9;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].rank = 1;
    a[0].shape = negative;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].rank = 3;
    a[0].shape = huge;
    a[2].bits = 0;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].shape = none;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_OK);
    a[2].bits = ROWS;
    a[0].rank = 2;
    a[0].shape = NULL;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].shape = shape;
    a[0].data = NULL;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    a[0].data = (char *)x + 1;
    CHECK(softmax_call(a, 4, NULL, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(strcmp(softmax_info.levels, "x86-64-v4 x86-64-v3 generic") == 0);
    CHECK(softmax_info.has_grid == 1 && softmax_info.parameter_count == 4);
    CHECK(strcmp(softmax_info.parameters[1].name, "Out") == 0);
    CHECK(softmax_info.parameters[0].is_const == 1 && softmax_info.parameters[1].is_const == 0);
}

static void check_kinds(void)
{
    static uint16_t h[32]; /* zeros, and a one in each program's part */
    static double out[32];
    const int64_t grid[3] = {2, 1, 1}, negative[3] = {2, -1, 1};
    h[3] = h[20] = 0x3c00;
    CHECK(kinds(h, out, 32, -3, 7, 0x4000, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_OK);
    /* 1 (sum) - 3 + 100 + 2 + 0.5 + 0.25 + 65535 - 1 */
    CHECK(out[0] == 65634.75 && out[3] == 65635.75 && out[31] == 65634.75);
    CHECK(kinds(h, out, 31, 0, 0, 0, 0, 0, 0, 0, grid, NULL) == TILEC_AOT_REQUIREMENT);
    CHECK(kinds(h, out, 32, 0, 0, 0, 0, 0, 0, 0, negative, NULL) == TILEC_AOT_GRID);
    CHECK(kinds(h, out, 32, 0, 0, 0, 0, 0, 0, 0, NULL, NULL) == TILEC_AOT_GRID);
    h[0] = 0x7c00; /* infinity */
    CHECK(kinds(h, out, 32, 0, 0, 0, 0, 0, 0, 0, grid, NULL) == TILEC_AOT_FAULT);
    CHECK(strcmp(kinds_info.parameters[7].name, "new") == 0 && kinds_info.has_grid == 0);
}

/* The same kernel made for one value of each scalar: others are refused by both functions. */
static void check_fixed(void)
{
    static uint16_t h[32];
    static double out[32];
    static const uint64_t bits[8] = {32,         (uint8_t)-3,           1,     0x4000,
                                     0x3f000000, 0x3fd0000000000000ull, 65535, (uint64_t)-1};
    const int64_t grid[3] = {2, 1, 1}, shape[1] = {32};
    struct tilec_aot_argument a[10];
    int i;
    memset(a, 0, sizeof a);
    a[0].data = h;
    a[1].data = out;
    a[0].shape = a[1].shape = shape;
    a[0].rank = a[1].rank = 1;
    h[3] = h[20] = 0x3c00;
    for (i = 0; i < 10; i++) {
        a[i].type = fixed_info.parameters[i].type;
        CHECK(fixed_info.parameters[i].is_fixed == (i > 1));
        CHECK(fixed_info.parameters[i].fixed_bits == (i > 1 ? bits[i - 2] : 0));
        CHECK(kinds_info.parameters[i].is_fixed == 0);
        if (i > 1)
            a[i].bits = bits[i - 2];
    }
    CHECK(fixed(h, out, 32, -3, 7, 0x4000, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_OK);
    CHECK(out[0] == 65634.75 && out[3] == 65635.75 && out[31] == 65634.75);
    out[3] = 0;
    CHECK(fixed_call(a, 10, grid, NULL) == TILEC_AOT_OK && out[3] == 65635.75);
    for (i = 2; i < 10; i++) {
        a[i].bits ^= 1;
        CHECK(fixed_call(a, 10, grid, NULL) == TILEC_AOT_ARGUMENT);
        a[i].bits ^= 1;
    }
    CHECK(fixed(h, out, 30, -3, 1, 0x4000, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, 3, 1, 0x4000, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 0, 0x4000, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 1, 0x4001, 0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 1, 0x4000, -0.5f, 0.25, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 1, 0x4000, 0.5f, 0.5, 65535, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 1, 0x4000, 0.5f, 0.25, 1, -1, grid, NULL) == TILEC_AOT_ARGUMENT);
    CHECK(fixed(h, out, 32, -3, 1, 0x4000, 0.5f, 0.25, 65535, 1, grid, NULL) == TILEC_AOT_ARGUMENT);
}

/* Loops that call for other programs than there are. */
typedef void body_of_loop(void *state, int64_t begin, int64_t end);
static void lacks_one(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, 1, count);
}
static void does_nothing(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    (void)count;
    (void)body;
    (void)state;
}
static void does_twice(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, 0, count);
    body(state, 1, 2);
}
static void goes_beyond(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, 0, count + 1);
}
static void starts_before(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, -1, count - 1);
}
static void turns_round(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, count, 0);
}
static void in_any_order(void *user, int64_t count, body_of_loop *body, void *state)
{
    (void)user;
    body(state, 2, count);
    body(state, 1, 1);
    body(state, 0, 2);
}

static void check_loops(void)
{
    static void (*const wrong[])(void *, int64_t, body_of_loop *, void *) = {
        lacks_one, does_nothing, does_twice, goes_beyond, starts_before, turns_round};
    static float in[100], out[100];
    struct tilec_aot_parallel parallel = {NULL, NULL};
    size_t i;
    in[99] = 3;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        parallel.run = wrong[i];
        CHECK(apart(in, out, 90, &parallel) == TILEC_AOT_INVALID);
        CHECK(out[99] == 0);
    }
    parallel.run = in_any_order;
    CHECK(apart(in, out, 100, &parallel) == TILEC_AOT_OK && out[99] == 6);
    out[99] = 0;
    parallel.run = NULL; /* as without */
    CHECK(apart(in, out, 100, &parallel) == TILEC_AOT_OK && out[99] == 6);
}

/* Where Out begins in the array that X begins: only restrict forbids that they share elements. */
static void check_places(void)
{
    enum { LENGTH = 40 };
    static float memory[5 * LENGTH];
    static const int at[] = {0, 1, -1, LENGTH - 1, 1 - LENGTH, LENGTH, -LENGTH};
    int64_t shape[1] = {LENGTH};
    struct tilec_aot_argument a[3];
    size_t i;
    memset(a, 0, sizeof a);
    a[0].data = memory + 2 * LENGTH;
    a[0].shape = a[1].shape = shape;
    a[0].rank = a[1].rank = 1;
    a[0].type = a[1].type = TILEC_AOT_F32;
    a[2].type = TILEC_AOT_I32;
    for (i = 0; i < sizeof at / sizeof *at; i++) {
        a[1].data = memory + 2 * LENGTH + at[i];
        shape[0] = LENGTH;
        a[2].bits = LENGTH;
        memory[2 * LENGTH] = 5;
        CHECK(apart_call(a, 3, NULL, NULL) == (i < 5 ? TILEC_AOT_ARGUMENT : TILEC_AOT_OK));
        CHECK(memory[2 * LENGTH] == 5);
        CHECK(Apart_call(a, 3, NULL, NULL) == TILEC_AOT_OK);
        if (i == 0)
            CHECK(memory[2 * LENGTH] == 10);
        shape[0] = 0; /* nothing shares anything with no element */
        a[2].bits = 0;
        CHECK(apart_call(a, 3, NULL, NULL) == TILEC_AOT_OK);
    }
}

static float table_value(int32_t kind, int q)
{
    switch (kind) {
    case 0:
        return (float)((q & 15) * (q & 15));
    case 1:
    case -1:
        return (float)(kind * ((q & 63) == 1 ? -1 : (q & 63) == 63 ? 63 : 0));
    case 2:
        return q == 0 ? 7.0f : q >= 299 ? -299.0f : 0.0f;
    default:
        return (float)((kind & 15) * (kind & 15)) + 0.5f;
    }
}

static void check_tables(void)
{
    enum { LENGTH = 333 };
    static uint16_t q[LENGTH];
    static float out[LENGTH];
    int32_t kind;
    int i;
    for (i = 0; i < LENGTH; i++)
        q[i] = (uint16_t)(LENGTH - i);
    q[5] = 0;
    for (kind = -2; kind < 5; kind++) {
        int wrong = 0;
        CHECK(tables(q, out, LENGTH, kind, NULL) == TILEC_AOT_OK);
        for (i = 0; i < LENGTH; i++)
            wrong += out[i] < table_value(kind, q[i]) || out[i] > table_value(kind, q[i]);
        CHECK(wrong == 0);
    }
}

int main(void)
{
    check_softmax();
    check_tables();
    check_kinds();
    check_fixed();
    check_loops();
    check_places();
    return failures != 0;
}
MAIN
cp "$work/main.c" "$work/main.cc"

# The same as data: sets all bits of each level's masks, so that no processor fits.
cat >"$work/spoil.c" <<'SPOIL'
#include <stdio.h>
#include <string.h>

int main(int count, char **names)
{
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(names[1], "rb+");
    size_t size = fread(bytes, 1, sizeof bytes, file), spoilt = 0;
    const unsigned v3 = 0x128; /* leaf 7 ebx: AVX2, BMI1, BMI2 */
    unsigned word, save;
    for (size_t i = 0; i + 24 <= size; i += 4) {
        memcpy(&word, bytes + i + 4, 4);
        memcpy(&save, bytes + i + 20, 4);
        if (word == v3 && save == 6) {
            memset(bytes + i, 0xff, 24);
            spoilt++;
        }
    }
    rewind(file);
    fwrite(bytes, 1, size, file);
    return fclose(file) != 0 || spoilt != 1 || count != 2;
}
SPOIL
cat >"$work/none.c" <<'NONE'
#include "softmax.h"

int main(void)
{
    float x = 0;
    return softmax(&x, &x, 1, 1, (const struct tilec_aot_parallel *)0) != TILEC_AOT_CPU;
}
NONE

objects="$work/kinds.o $work/fixed.o $work/softmax.o $work/other.o $work/apart.o $work/loose.o $work/tables.o"
strict="-pedantic -Wall -Wextra -Wshadow -Werror -I$work"
for compiler in "gcc -std=c99" "clang-19 -std=c99" "g++ -std=c++11" "clang++-19 -std=c++20"; do
    command -v "${compiler%% *}" >/dev/null || continue
    case $compiler in *++*) source=$work/main.cc ;; *) source=$work/main.c ;; esac
    $compiler $strict "$source" $objects -lm -o "$work/main"
    "$work/main"
done

"$tilec" build kernels/softmax.tile.c --target cpu -D BLOCK=256 -o "$work/softmax.o" \
    --header "$work/softmax.h"
gcc -std=c99 "$work/spoil.c" -o "$work/spoil"
"$work/spoil" "$work/softmax.o"
gcc -std=c99 $strict "$work/none.c" "$work/softmax.o" -lm -o "$work/none"
"$work/none"

# Stores past the caches are taken where what is written is long: by the plain function too, which is
# told no lengths. A program whose object has traps in their place ends by a signal then, and only then.
cat >"$work/streams.c" <<'STREAMS'
#include "streams.h"
#include <stddef.h>

int main(int count, char **arguments)
{
    int32_t n = count > 2 ? 1 << 22 : 1 << 12;
    int64_t shape[1];
    static float x[1 << 22], room[(1 << 22) + 16];
    float *out = room + (64 - (size_t)room % 64) % 64 / 4; /* such stores are of whole lines */
    struct tilec_aot_argument a[3] = {{NULL, 0, NULL, TILEC_AOT_F32, 1}, {NULL, 0, NULL, TILEC_AOT_F32, 1},
                                      {NULL, 0, NULL, TILEC_AOT_I32, 0}};
    (void)arguments;
    shape[0] = n;
    a[0].data = x;
    a[1].data = out;
    a[0].shape = a[1].shape = shape;
    a[2].bits = (uint64_t)n;
    return count % 2 ? streams_call(a, 3, NULL, NULL) : streams(x, out, n, NULL);
}
STREAMS
"$tilec" build kernels/copy.tile.c -D BLOCK=4096 --cpu x86-64-v3 --symbol streams -o "$work/streams.o" \
    --header "$work/streams.h"
text=$(objdump -h "$work/streams.o" | awk '$2 == ".text" { print $6 }')
stores=$(objdump -d "$work/streams.o" | awk '/movnt/ { sub(":", "", $1); print $1 }')
[ -n "$stores" ] || { echo "copy.tile.c has no stores past the caches"; exit 1; }
for store in $stores; do
    printf '\314' | dd of="$work/streams.o" bs=1 seek=$((0x$text + 0x$store)) conv=notrunc 2>"$work/dd"
done
gcc -std=c99 $strict "$work/streams.c" "$work/streams.o" -lm -o "$work/streams"
for arguments in "" 1 "1 2" "1 2 3"; do
    status=0
    ("$work/streams" $arguments) 2>"$work/said" || status=$?
    case "$arguments" in *2*) wanted=133 ;; *) wanted=0 ;; esac # SIGTRAP
    [ $status = $wanted ] || { echo "streams $arguments: status $status"; exit 1; }
done

refused() {
    status=0
    "$tilec" build "$@" >"$work/said" 2>&1 || status=$?
    [ $status != 0 ] || { echo "not refused: $*"; exit 1; }
    cat "$work/said"
}
refused kernels/softmax.tile.c -D BLOCK=256 --cpu z80 -o "$work/x.o" | grep -q "unknown CPU level 'z80'"
refused kernels/softmax.tile.c -D BLOCK=256 --symbol class -o "$work/x.o" | grep -q "called 'class'"
refused kernels/softmax.tile.c -D BLOCK=256 --symbol exp -o "$work/x.o" | grep -q "called 'exp'"
refused kernels/softmax.tile.c -D BLOCK=256 --symbol a-b -o "$work/x.o" | grep -q "not an identifier"
refused kernels/softmax.tile.c -D BLOCK=256 --target interp -o "$work/x.o" | grep -q "targets .cpu., .msl. and .cuda. only"
