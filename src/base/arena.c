/* Arena: blocks of doubling size, newest first; see arena.h. */
#include "base/arena.h"

#include "base/poison.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TILEC_TINY_LIMITS /* a block for every allocation, so that tests can fail each of them */
enum { ARENA_FIRST_BLOCK = 1, ARENA_LARGEST_BLOCK = 1 };
#else
enum { ARENA_FIRST_BLOCK = 4096, ARENA_LARGEST_BLOCK = 1 << 20 };
#endif

struct arena_block {
    struct arena_block *next;
    size_t size, used; /* bytes behind this header */
    max_align_t data[];
};

static void *default_allocate(void *user, size_t size)
{
    (void)user;
    return malloc(size);
}

static void default_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

const struct allocator allocator_default = {default_allocate, default_release, NULL};

void arena_init(struct arena *arena, struct allocator allocator, jmp_buf *on_failure)
{
    *arena = (struct arena){.allocator = allocator, .on_failure = on_failure};
}

/* Gives back the blocks that are newer than `last`. */
static void release_until(struct arena *arena, const struct arena_block *last)
{
    while (arena->blocks != last) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        unpoison(block->data, block->size); /* the allocator may be the caller's */
        arena->allocator.release(arena->allocator.user, block);
    }
}

void arena_free(struct arena *arena)
{
    release_until(arena, NULL);
    arena->used = 0;
}

struct arena_mark arena_mark(const struct arena *arena)
{
    return (struct arena_mark){.block = arena->blocks,
                               .block_used = arena->blocks ? arena->blocks->used : 0,
                               .used = arena->used};
}

void arena_rewind(struct arena *arena, struct arena_mark mark)
{
    release_until(arena, mark.block);
    arena->used = mark.used;
    if (!mark.block)
        return;
    poison((char *)mark.block->data + mark.block_used, mark.block->size - mark.block_used);
    mark.block->used = mark.block_used;
}

static _Noreturn void arena_fail(struct arena *arena)
{
    longjmp(*arena->on_failure, 1);
}

static struct arena_block *arena_add_block(struct arena *arena, size_t least)
{
    size_t size = arena->blocks ? arena->blocks->size * 2 : ARENA_FIRST_BLOCK;
    if (size > ARENA_LARGEST_BLOCK)
        size = ARENA_LARGEST_BLOCK;
    if (size < least)
        size = least;
    struct arena_block *block =
        arena->allocator.allocate(arena->allocator.user, sizeof *block + size);
    if (!block)
        arena_fail(arena);
    block->next = arena->blocks;
    block->size = size;
    block->used = 0;
    poison(block->data, size);
    arena->blocks = block;
    return block;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    size_t unit = _Alignof(max_align_t);
    if (size > SIZE_MAX / 4)
        arena_fail(arena);
    size_t taken = size ? (size + unit - 1) / unit * unit : unit;
    if (arena->limit && taken > arena->limit - arena->used)
        arena_fail(arena);
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < taken + POISON_GAP)
        block = arena_add_block(arena, taken + POISON_GAP);
    void *memory = (char *)block->data + block->used;
    block->used += taken + POISON_GAP;
    arena->used += taken;
    unpoison(memory, size);
    return memset(memory, 0, size);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        arena_fail(arena);
    return arena_alloc(arena, bytes);
}

char *arena_copy_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_alloc(arena, length + 1);
    if (length)
        memcpy(copy, text, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    char start[128]; /* most texts fit, and are formatted once */
    int length = vsnprintf(start, sizeof start, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(arena, (size_t)(length < 0 ? 0 : length) + 1);
    if (length > 0 && (size_t)length < sizeof start)
        memcpy(text, start, (size_t)length);
    else if (length > 0)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size)
{
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *grown = arena_alloc_array(arena, wanted, size);
    if (count)
        memcpy(grown, items, count * size);
    if (*capacity)
        poison(items, *capacity * size); /* who still holds a pointer into it reads what is old */
    *capacity = wanted;
    return grown;
}
