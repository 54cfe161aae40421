#ifndef TILEC_BASE_POISON_H
#define TILEC_BASE_POISON_H
/*
 * What AddressSanitizer has to be told: memory that it is to report when it is touched, and jumps to
 * another stack. An arena's blocks are one allocation each, so that without this a read beyond an
 * object of the arena would end in its neighbour. In builds without the sanitizer nothing is left.
 */
#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__) /* gcc */
#define POISON_WORKS 1
#elif defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define POISON_WORKS 1
#endif
#endif

#ifdef POISON_WORKS
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { POISON_GAP = 16 }; /* bytes between objects that are poisoned */

static inline void poison(const void *memory, size_t size)
{
    __asan_poison_memory_region(memory, size);
}

static inline void unpoison(const void *memory, size_t size)
{
    __asan_unpoison_memory_region(memory, size);
}

/* Around a jump to another stack, which *keep (of the one that is left) and kept belong to. */
static inline void leave_stack(void **keep, const void *to, size_t bytes)
{
    __sanitizer_start_switch_fiber(keep, to, bytes);
}

static inline void enter_stack(void *kept, const void **from, size_t *bytes)
{
    __sanitizer_finish_switch_fiber(kept, from, bytes);
}
#else
enum { POISON_GAP = 0 };

static inline void poison(const void *memory, size_t size)
{
    (void)memory, (void)size;
}

static inline void unpoison(const void *memory, size_t size)
{
    (void)memory, (void)size;
}

static inline void leave_stack(void **keep, const void *to, size_t bytes)
{
    (void)keep, (void)to, (void)bytes;
}

static inline void enter_stack(void *kept, const void **from, size_t *bytes)
{
    (void)kept, (void)from, (void)bytes;
}
#endif

#endif
