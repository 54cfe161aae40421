#ifndef TILEC_TESTS_PAGES_H
#define TILEC_TESTS_PAGES_H
/*
 * Memory with pages beside it that cannot be touched: it ends where a page ends, so that a read or
 * write of one byte behind it is a fault, or begins where one begins. What is between it and the
 * other fence is filled, so that writes there can be seen.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum pages_place { PAGES_BEGIN, PAGES_END };
enum { PAGES_FILL = 0xff };

static inline size_t pages_round(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* NULL when there is no room. */
static inline void *pages_new(size_t bytes, enum pages_place place)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), inner = pages_round(bytes);
    unsigned char *all =
        mmap(NULL, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    if (inner && mprotect(all + page, inner, PROT_READ | PROT_WRITE) != 0) {
        munmap(all, inner + 2 * page);
        return NULL;
    }
    for (size_t i = 0; i < inner; i++)
        all[page + i] = PAGES_FILL;
    return all + page + (place == PAGES_END ? inner - bytes : 0);
}

static inline unsigned char *pages_first(const void *memory)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return (unsigned char *)((uintptr_t)memory / page * page);
}

/* Whether nothing was written on the memory's pages but within it. */
static inline bool pages_are_whole(const void *memory, size_t bytes)
{
    const unsigned char *first = pages_first(memory), *data = memory;
    for (const unsigned char *at = first; at < data; at++)
        if (*at != PAGES_FILL)
            return false;
    for (const unsigned char *at = data + bytes; at < first + pages_round(bytes); at++)
        if (*at != PAGES_FILL)
            return false;
    return true;
}

static inline void pages_free(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (memory)
        munmap(pages_first(memory) - page, pages_round(bytes) + 2 * page);
}

#endif
