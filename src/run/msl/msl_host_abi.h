#ifndef TILEC_RUN_MSL_HOST_ABI_H
#define TILEC_RUN_MSL_HOST_ABI_H
/*
 * What compiled MSL and the library say to each other: the library includes this as C, the host's
 * metal_stdlib as C++.
 */
#include <stddef.h>
#include <stdint.h>

enum { MSL_HOST_LANES = 32, MSL_HOST_VALUE_BYTES = 64 };

enum msl_host_access { MSL_HOST_READ, MSL_HOST_WRITE, MSL_HOST_ATOMIC };

enum msl_host_meeting { MSL_HOST_COLLECTIVE, MSL_HOST_SIMD_BARRIER, MSL_HOST_BARRIER };

/* Which memory a barrier orders: bits of mem_flags. */
enum { MSL_HOST_ORDER_DEVICE = 1, MSL_HOST_ORDER_THREADGROUP = 2 };

/* Where in the grid a thread stands: MSL's attributes of kernel arguments, three numbers each (the
 * scalar ones use the first). */
#define MSL_HOST_POSITIONS(X)                                                                      \
    X(thread_position_in_grid)                                                                     \
    X(threads_per_grid)                                                                            \
    X(threadgroup_position_in_grid)                                                                \
    X(threadgroups_per_grid)                                                                       \
    X(thread_position_in_threadgroup)                                                              \
    X(threads_per_threadgroup)                                                                     \
    X(thread_index_in_threadgroup)                                                                 \
    X(thread_index_in_simdgroup)                                                                   \
    X(threads_per_simdgroup)                                                                       \
    X(simdgroup_index_in_threadgroup)                                                              \
    X(simdgroups_per_threadgroup)

struct msl_host_place {
#define FIELD(name) uint32_t name[3];
    MSL_HOST_POSITIONS(FIELD)
#undef FIELD
};

/* A thread comes to a meeting with up to MSL_HOST_VALUE_BYTES bytes. */
struct msl_host_arrival {
    enum msl_host_meeting kind;
    int line, column; /* of the call in the MSL text: all must come to the same one */
    int order;        /* barriers: MSL_HOST_ORDER_... */
    const void *value;
    uint32_t size;
    void *values;         /* gets those of all lanes of the SIMD group, size bytes each */
    uint32_t lane, lanes; /* set by meet: the caller's, and how many its SIMD group has */
};

/* The library's functions. Neither returns into a kernel that has faulted. */
struct msl_host_hooks {
    void *user;
    uint32_t lane; /* of the thread that runs */
    /* alignment: what the access was promised to be aligned to */
    void (*access)(void *user, const void *address, size_t size, size_t alignment,
                   enum msl_host_access kind);
    void (*meet)(void *user, struct msl_host_arrival *arrival);
};

#endif
