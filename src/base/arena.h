#ifndef TILEC_BASE_ARENA_H
#define TILEC_BASE_ARENA_H
/*
 * Arena: memory that is freed all at once.
 *
 * One arena per compilation owns all of its AST and IR; nothing inside is freed alone. When an
 * allocation fails, the arena calls its failure handler, which must not return: the public entry
 * points set one up with setjmp (base/guard.h) and report TILEC_ERROR_NO_MEMORY. So code that
 * allocates from an arena never checks for NULL.
 */
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory functions that the caller of the library may replace (a test fails the n-th call). */
struct allocator {
    void *(*allocate)(void *user, size_t size); /* NULL when there is none */
    void (*release)(void *user, void *memory);
    void *user;
};

/* malloc and free */
extern const struct allocator allocator_default;

struct arena_block;

struct arena {
    struct allocator allocator;
    struct arena_block *blocks; /* newest first */
    size_t used;                /* bytes handed out */
    size_t limit;               /* most bytes to hand out; 0 = no limit */
    jmp_buf *on_failure;        /* where an allocation that fails goes; must be set before use */
};

void arena_init(struct arena *arena, struct allocator allocator, jmp_buf *on_failure);
void arena_free(struct arena *arena);

/* Zeroed memory aligned for any type. size 0 gives a unique non-NULL pointer. Never NULL. Under
 * AddressSanitizer what lies behind it is poisoned. */
void *arena_alloc(struct arena *arena, size_t size);

/* Zeroed memory for count items of size bytes each; overflow counts as a failed allocation. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size);

/* A place to go back to: what was allocated since then is given back, and must not be used any
 * more. No growable array that is older may have grown since. */
struct arena_mark {
    struct arena_block *block;
    size_t block_used, used;
};
struct arena_mark arena_mark(const struct arena *arena);
void arena_rewind(struct arena *arena, struct arena_mark mark);

/* Copies of text; the results end with a NUL. */
char *arena_copy_text(struct arena *arena, const char *text, size_t length);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))

/*
 * Growable arrays in an arena: struct { T *items; size_t count, capacity; }.
 * Growth copies; the old storage stays in the arena until the arena is freed, but is not to be read:
 * AddressSanitizer finds who does.
 */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t *capacity, size_t size);

#define ARENA_PUSH(arena, list, value)                                                             \
    do {                                                                                           \
        if ((list)->count == (list)->capacity)                                                     \
            (list)->items = arena_grow((arena), (list)->items, (list)->count, &(list)->capacity,   \
                                       sizeof *(list)->items);                                     \
        (list)->items[(list)->count++] = (value);                                                  \
    } while (0)

#endif
