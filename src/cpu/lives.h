#ifndef TILEC_CPU_LIVES_H
#define TILEC_CPU_LIVES_H
/*
 * Which tiles in scratch memory may lie in the same place; see lives.c. Nothing here knows of code:
 * it is told in the order of its text what it does.
 */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum cpu_mark {
    CPU_MARK_STEP,   /* a step begins, in which all happens at once */
    CPU_MARK_LOOP,   /* a loop begins */
    CPU_MARK_LEAVE,  /* it is left from here; without this from its begin, after any round */
    CPU_MARK_REPEAT, /* its end */
    CPU_MARK_IF,
    CPU_MARK_ELSE,
    CPU_MARK_ENDIF,
};

struct cpu_life { /* of a tile */
    int64_t bytes, offset;
    int loop;           /* around where it was made, by its number; 0: none */
    int inner;          /* the last loop inside of that one around a use, or 0 */
    int first, last;    /* moments at which it is wanted; first < 0: at none */
    int moment;         /* of its last use, */
    bool read, written; /* and which there were */
};

struct cpu_loop_life {
    int around; /* the loop around it */
    int first, last;
    size_t end; /* among events */
};

struct cpu_event {
    bool is_mark;
    enum cpu_mark mark;
    int number; /* of the loop */
    int life;   /* of a use */
    bool writes;
};

struct cpu_lives {
    struct arena *arena;
    struct {
        struct cpu_life *items;
        size_t count, capacity;
    } tiles;
    struct {
        struct cpu_loop_life *items; /* the first is the whole */
        size_t count, capacity;
    } loops;
    struct {
        struct cpu_event *items;
        size_t count, capacity;
    } events;
    int loop, moment;
};

struct cpu_lives *cpu_lives_new(struct arena *arena);
/* A tile; its number. bytes: a multiple of the alignment that its place must have. */
int cpu_lives_add(struct cpu_lives *lives, int64_t bytes);
/* All of it is written from now on, or some of it is read. */
void cpu_lives_use(struct cpu_lives *lives, int tile, bool writes);
/* Gives the moment that begins. */
int cpu_lives_mark(struct cpu_lives *lives, enum cpu_mark mark);
/* Gives every tile that is used an offset. How many bytes they take in all. */
int64_t cpu_lives_share(struct cpu_lives *lives);
/* Whether each tile holds, wherever it is read, what was written to it. */
bool cpu_lives_verify(const struct cpu_lives *lives);

#endif
