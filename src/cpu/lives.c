/*
 * Memory that tiles share.
 *
 *     step 1   writes a                a [0, 4096)
 *     step 2   reads a, writes b       b [4096, 8192)
 *     step 3   reads b, writes c       c [0, 4096)
 *
 * The code is known as a list of events in the order of its text: steps, loops and branches, and
 * which tiles a step writes and reads. A tile is live from the first step that uses it to the last
 * one, and all through a loop in which it is used, if it was made outside of that loop: it may be
 * wanted in the next round. What is made inside of a loop is written anew in each round. Of a
 * branch one side follows the other, so that a tile that both sides write is live in between.
 *
 * Tiles are then placed in the order in which their lives begin, each at the lowest place where
 * none lies that still lives (linear scan, first fit; Poletto and Sarkar, 1999). Equal code gets
 * equal places, whatever compiled it. No place lies behind all that would lie one behind the other.
 *
 * The verifier knows nothing of lives. It walks the events with what each part of the memory holds:
 * a tile takes its place as it is written, and must still have it wherever it is read, whichever
 * way led there. A branch leaves what both sides left. A loop begins with what was there before and
 * nobody else touches in it; that is what holds in each round, and also behind it.
 */
#include "cpu/lives.h"

#include <stdlib.h>
#include <string.h>

struct cpu_lives *cpu_lives_new(struct arena *arena)
{
    struct cpu_lives *lives = ARENA_NEW(arena, struct cpu_lives);
    lives->arena = arena;
    ARENA_PUSH(arena, &lives->loops, ((struct cpu_loop_life){.around = -1}));
    return lives;
}

int cpu_lives_add(struct cpu_lives *lives, int64_t bytes)
{
    ARENA_PUSH(lives->arena, &lives->tiles,
               ((struct cpu_life){
                   .bytes = bytes, .loop = lives->loop, .first = -1, .last = -1, .moment = -1}));
    return (int)lives->tiles.count - 1;
}

/* The outermost loop around this place that is not around where the tile was made, or 0. */
static int inner_loop(const struct cpu_lives *lives, const struct cpu_life *life)
{
    int inner = 0;
    for (int i = lives->loop; i > 0 && i != life->loop; i = lives->loops.items[i].around)
        inner = i;
    return inner;
}

void cpu_lives_use(struct cpu_lives *lives, int tile, bool writes)
{
    struct cpu_life *life = &lives->tiles.items[tile];
    if (life->moment != lives->moment)
        life->read = life->written = false;
    bool *known = writes ? &life->written : &life->read;
    if (*known)
        return;
    *known = true;
    life->moment = life->last = lives->moment;
    int inner = inner_loop(lives, life);
    int first = inner ? lives->loops.items[inner].first : lives->moment;
    if (life->first < 0 || first < life->first)
        life->first = first;
    if (inner)
        life->inner = inner;
    ARENA_PUSH(lives->arena, &lives->events, ((struct cpu_event){.life = tile, .writes = writes}));
}

int cpu_lives_mark(struct cpu_lives *lives, enum cpu_mark mark)
{
    struct cpu_event event = {.is_mark = true, .mark = mark, .number = lives->loop};
    lives->moment++;
    if (mark == CPU_MARK_LOOP) {
        event.number = (int)lives->loops.count;
        ARENA_PUSH(lives->arena, &lives->loops,
                   ((struct cpu_loop_life){.around = lives->loop, .first = lives->moment}));
        lives->loop = event.number;
    }
    ARENA_PUSH(lives->arena, &lives->events, event);
    if (mark == CPU_MARK_REPEAT) {
        struct cpu_loop_life *loop = &lives->loops.items[lives->loop];
        loop->last = lives->moment;
        loop->end = lives->events.count - 1;
        lives->loop = loop->around;
    }
    return lives->moment;
}

/* ---- places ---------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct cpu_life *x = *(struct cpu_life *const *)a, *y = *(struct cpu_life *const *)b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x > y) - (x < y); /* in the order in which they were made */
}

struct placed { /* tiles that are live, by their offsets */
    struct cpu_life **items;
    size_t count;
};

static void drop_dead(struct placed *placed, int moment)
{
    size_t kept = 0;
    for (size_t i = 0; i < placed->count; i++) {
        if (placed->items[i]->last >= moment)
            placed->items[kept++] = placed->items[i];
    }
    placed->count = kept;
}

static void place(struct placed *placed, struct cpu_life *life)
{
    size_t i = 0;
    life->offset = 0;
    for (; i < placed->count; i++) {
        const struct cpu_life *other = placed->items[i];
        if (other->offset - life->offset >= life->bytes)
            break;
        life->offset = other->offset + other->bytes;
    }
    memmove(placed->items + i + 1, placed->items + i, (placed->count - i) * sizeof *placed->items);
    placed->items[i] = life;
    placed->count++;
}

int64_t cpu_lives_share(struct cpu_lives *lives)
{
    size_t count = 0;
    struct cpu_life **used = ARENA_ARRAY(lives->arena, struct cpu_life *, lives->tiles.count + 1);
    for (size_t i = 0; i < lives->tiles.count; i++) {
        struct cpu_life *life = &lives->tiles.items[i];
        if (life->first < 0)
            continue;
        if (life->inner && lives->loops.items[life->inner].last > life->last)
            life->last = lives->loops.items[life->inner].last;
        used[count++] = life;
    }
    qsort(used, count, sizeof *used, by_begin);
    struct placed placed = {
        .items = ARENA_ARRAY(lives->arena, struct cpu_life *, lives->tiles.count + 1)};
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        drop_dead(&placed, used[i]->first);
        place(&placed, used[i]);
        int64_t end = used[i]->offset + used[i]->bytes;
        total = end > total ? end : total;
    }
    return total;
}

/* ---- the verifier ---------------------------------------------------------------------------- */

enum { NOBODY = -1 };

struct walk {
    const struct cpu_lives *lives;
    int64_t *bounds; /* part k of the memory lies in [bounds[k], bounds[k + 1]) */
    size_t count;    /* of bounds */
    int *holds;      /* by part: whose tile, or NOBODY's */
    struct {
        int **items; /* what parts held where a loop or branch began, or is left */
        size_t count, capacity;
    } kept;
    size_t depth; /* how many of these are in use */
};

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void find_parts(struct walk *w)
{
    const struct cpu_lives *lives = w->lives;
    w->bounds = ARENA_ARRAY(lives->arena, int64_t, 2 * lives->tiles.count + 1);
    size_t count = 0;
    for (size_t i = 0; i < lives->tiles.count; i++) {
        w->bounds[count++] = lives->tiles.items[i].offset;
        w->bounds[count++] = lives->tiles.items[i].offset + lives->tiles.items[i].bytes;
    }
    qsort(w->bounds, count, sizeof *w->bounds, by_size);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || w->bounds[i] != w->bounds[i - 1])
            w->bounds[w->count++] = w->bounds[i];
    }
    w->holds = ARENA_ARRAY(lives->arena, int, w->count + 1);
    for (size_t i = 0; i < w->count; i++)
        w->holds[i] = NOBODY;
}

struct parts { /* of a tile */
    size_t from, to;
};

static struct parts parts_of(const struct walk *w, int tile)
{
    const struct cpu_life *life = &w->lives->tiles.items[tile];
    const int64_t *from = bsearch(&life->offset, w->bounds, w->count, sizeof *w->bounds, by_size);
    struct parts parts = {(size_t)(from - w->bounds), (size_t)(from - w->bounds)};
    while (w->bounds[parts.to] < life->offset + life->bytes)
        parts.to++;
    return parts;
}

static bool has_its_place(const struct walk *w, int tile)
{
    struct parts parts = parts_of(w, tile);
    for (size_t i = parts.from; i < parts.to; i++) {
        if (w->holds[i] != tile)
            return false;
    }
    return true;
}

static void take_place(struct walk *w, int tile)
{
    struct parts parts = parts_of(w, tile);
    for (size_t i = parts.from; i < parts.to; i++)
        w->holds[i] = tile;
}

/* Events from first to before last, all at once: what one of them takes no other may want. */
static bool walk_uses(struct walk *w, size_t first, size_t last)
{
    const struct cpu_event *events = w->lives->events.items;
    for (size_t i = first; i < last; i++) {
        if (events[i].writes)
            take_place(w, events[i].life);
        else if (!has_its_place(w, events[i].life))
            return false;
    }
    for (size_t i = first; i < last; i++) {
        if (!has_its_place(w, events[i].life))
            return false;
    }
    return true;
}

static void keep(struct walk *w)
{
    if (w->depth == w->kept.count)
        ARENA_PUSH(w->lives->arena, &w->kept, ARENA_ARRAY(w->lives->arena, int, w->count + 1));
    memcpy(w->kept.items[w->depth++], w->holds, w->count * sizeof *w->holds);
}

/* A round may have come before: what else is used in the loop is as likely there. */
static void enter_loop(struct walk *w, size_t begin)
{
    const struct cpu_event *events = w->lives->events.items;
    size_t end = w->lives->loops.items[events[begin].number].end;
    for (size_t i = begin; i < end; i++) {
        if (events[i].is_mark)
            continue;
        struct parts parts = parts_of(w, events[i].life);
        for (size_t k = parts.from; k < parts.to; k++) {
            if (w->holds[k] != events[i].life)
                w->holds[k] = NOBODY;
        }
    }
    keep(w);
}

static void walk_mark(struct walk *w, size_t at)
{
    size_t bytes = w->count * sizeof *w->holds;
    int *kept = w->depth > 0 ? w->kept.items[w->depth - 1] : NULL;
    switch (w->lives->events.items[at].mark) {
    case CPU_MARK_STEP:
        return;
    case CPU_MARK_LOOP:
        enter_loop(w, at);
        return;
    case CPU_MARK_LEAVE:
        memcpy(kept, w->holds, bytes);
        return;
    case CPU_MARK_REPEAT:
        memcpy(w->holds, kept, bytes);
        w->depth--;
        return;
    case CPU_MARK_IF:
        keep(w);
        return;
    case CPU_MARK_ELSE:
        for (size_t i = 0; i < w->count; i++) {
            int before = kept[i];
            kept[i] = w->holds[i];
            w->holds[i] = before;
        }
        return;
    case CPU_MARK_ENDIF:
        for (size_t i = 0; i < w->count; i++) {
            if (w->holds[i] != kept[i])
                w->holds[i] = NOBODY;
        }
        w->depth--;
        return;
    }
}

bool cpu_lives_verify(const struct cpu_lives *lives)
{
    struct walk walk = {.lives = lives}, *w = &walk;
    find_parts(w);
    for (size_t i = 0; i < lives->events.count;) {
        if (lives->events.items[i].is_mark) {
            walk_mark(w, i++);
            continue;
        }
        size_t first = i;
        while (i < lives->events.count && !lives->events.items[i].is_mark)
            i++;
        if (!walk_uses(w, first, i))
            return false;
    }
    return true;
}
