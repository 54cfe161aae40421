/*
 * The memory that a kernel on msl-host sees, and what every access is checked against.
 *
 * Device buffers are copies. Each lies in the middle of a slot of address space of its own, so wide
 * that no 32-bit index of any element comes near its ends: an address in the middle half of a slot
 * tells which buffer was meant, and by how much it was missed. Any other is a wild one, of which
 * nobody can tell. The pages around buffers do not exist. Buffers that share memory share a slot:
 * the first one's; as their elements may differ in size, that copy is as far from a multiple of 8
 * bytes as the memory itself. Any other begins at a page.
 *
 * Every byte has a shadow cell with three traces: who wrote it last, who read it last, who changed
 * it atomically last. Two accesses of one byte by different threads conflict unless both read or
 * both are atomic. A conflict is a race unless a barrier lies between them, which the threads'
 * clocks tell (struct msl_thread): a threadgroup barrier for threads of one threadgroup, a barrier
 * of the SIMD group for lanes of one; nothing orders threads of different threadgroups. One trace
 * stands for many accesses: when accesses of the same kind by several threads are not ordered, it
 * notes that there are several, which is enough, since whoever conflicts with that trace later
 * differs from at least one of them.
 *
 * Threadgroup variables are static, so that a cell there may tell of an earlier threadgroup: then
 * it counts as empty, and the memory as unwritten.
 */
#define _GNU_SOURCE
#include "run/msl_host_parts.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Where the process may not have that much address space, half, and so on. */
static const size_t most_slot_bytes = (size_t)1 << 40, least_slot_bytes = (size_t)1 << 34;
static const size_t none = SIZE_MAX; /* in memory->owners */

enum { LARGEST_ELEMENT = 8 };

struct trace {
    uint32_t group; /* 0: no access */
    uint32_t thread;
    uint32_t barriers, simd_barriers;
    bool many_lanes;  /* several threads of one SIMD group since its last barrier */
    bool many_simds;  /* several SIMD groups since the last threadgroup barrier */
    bool many_groups; /* several threadgroups */
};

struct cell {
    struct trace traces[3]; /* by enum msl_host_access */
};

struct msl_region {
    unsigned char *start;
    size_t size;
    struct cell *cells;
    void *source; /* what a buffer is a copy of */
    const char *name;
    size_t index; /* of a buffer */
    int space;
};

static void *map(size_t bytes, int protection)
{
    void *memory =
        mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- Buffers --------------------------------------------------------------------------------- */

static bool open_region(struct msl_region *region, unsigned char *start, size_t size, int space)
{
    region->start = start;
    region->size = size;
    region->space = space;
    if (size)
        region->cells = map(size * sizeof(struct cell), PROT_READ | PROT_WRITE);
    return size == 0 || region->cells;
}

static bool map_slots(struct msl_memory *memory)
{
    memory->slot_bytes = most_slot_bytes;
    do {
        memory->slots_bytes = (memory->count + 1) * memory->slot_bytes;
        memory->slots = map(memory->slots_bytes, PROT_NONE);
    } while (!memory->slots && (memory->slot_bytes /= 2) >= least_slot_bytes);
    return memory->slots != NULL;
}

/* Gives region `index` the bytes of its buffer and of all that share memory with it, directly or
 * through others; those refer to it. */
static struct msl_host_buffer join(struct msl_memory *memory, size_t index,
                                   const struct msl_host_buffer *buffers)
{
    uintptr_t begin = (uintptr_t)buffers[index].data, end = begin + buffers[index].size;
    bool grown = true;
    memory->owners[index] = index;
    while (grown) {
        grown = false;
        for (size_t i = index + 1; i < memory->count; i++) {
            uintptr_t from = (uintptr_t)buffers[i].data, to = from + buffers[i].size;
            if (memory->owners[i] != none || !buffers[i].size || from >= end || to <= begin)
                continue;
            memory->owners[i] = index;
            begin = from < begin ? from : begin;
            end = to > end ? to : end;
            grown = true;
        }
    }
    return (struct msl_host_buffer){(void *)begin, end - begin};
}

static bool is_shared(const struct msl_memory *memory, size_t index)
{
    for (size_t i = index + 1; i < memory->count; i++)
        if (memory->owners[i] == index)
            return true;
    return false;
}

static bool open_buffer(struct msl_memory *memory, size_t index,
                        const struct msl_host_buffer *buffer, const char *const *names)
{
    struct msl_region *region = &memory->regions[index];
    size_t slot = memory->slot_bytes;
    size_t shift = is_shared(memory, index) ? (uintptr_t)buffer->data % LARGEST_ELEMENT : 0;
    unsigned char *page = memory->slots + index * slot + slot / 2, *start = page + shift;
    region->index = index;
    region->source = buffer->data;
    region->name = names ? names[index] : memory->kernel->buffers[index];
    if (buffer->size > slot / 4 ||
        !open_region(region, start, buffer->size, MSL_SPACE_DEVICE))
        return false;
    if (buffer->size == 0)
        return true;
    if (mprotect(page, shift + buffer->size, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy(start, buffer->data, buffer->size);
    return true;
}

bool msl_memory_open(struct msl_memory *memory, const struct msl_host_program *program,
                     const struct msl_kernel *kernel, const struct msl_host_launch *launch)
{
    *memory = (struct msl_memory){.kernel = kernel, .library = (const void *)program->hooks};
    memory->count = launch->buffer_count;
    memory->regions = calloc(memory->count + 1, sizeof *memory->regions);
    if (memory->count > MSL_HOST_BUFFERS || !memory->regions || !map_slots(memory))
        return false;
    for (size_t i = 0; i < memory->count; i++)
        memory->owners[i] = none;
    for (size_t i = 0; i < memory->count; i++) {
        if (!launch->buffers[i].data || memory->owners[i] != none)
            continue;
        struct msl_host_buffer whole = join(memory, i, launch->buffers);
        if (!open_buffer(memory, i, &whole, launch->names))
            return false;
    }
    return open_region(&memory->regions[memory->count], (unsigned char *)program->shared[0],
                       (size_t)(program->shared[1] - program->shared[0]), MSL_SPACE_SHARED);
}

void *msl_memory_buffer(const struct msl_memory *memory, const struct msl_host_launch *launch,
                        size_t index)
{
    if (index >= memory->count || memory->owners[index] == none)
        return NULL;
    const struct msl_region *region = &memory->regions[memory->owners[index]];
    return region->start + ((uintptr_t)launch->buffers[index].data - (uintptr_t)region->source);
}

void msl_memory_write_back(const struct msl_memory *memory)
{
    for (size_t i = 0; i < memory->count; i++) {
        const struct msl_region *region = &memory->regions[i];
        if (region->size && memcmp(region->source, region->start, region->size) != 0)
            memcpy(region->source, region->start, region->size);
    }
}

void msl_memory_close(struct msl_memory *memory)
{
    for (size_t i = 0; memory->regions && i <= memory->count; i++)
        if (memory->regions[i].cells)
            munmap(memory->regions[i].cells, memory->regions[i].size * sizeof(struct cell));
    free(memory->regions);
    if (memory->slots)
        munmap(memory->slots, memory->slots_bytes);
}

/* ---- Races ----------------------------------------------------------------------------------- */

static bool same_simd(const struct trace *trace, const struct msl_thread *thread)
{
    return trace->thread / MSL_HOST_LANES == thread->thread / MSL_HOST_LANES;
}

/* Whether a barrier lies between the trace's accesses, of thread's own threadgroup, and now. */
static bool is_ordered(const struct trace *trace, const struct msl_thread *thread, int space)
{
    if (trace->barriers != thread->barriers[space])
        return true;
    return !trace->many_simds && same_simd(trace, thread) &&
           trace->simd_barriers != thread->simd_barriers[space];
}

/* Whether an access by thread that conflicts with the trace's is a race. */
static bool is_race(const struct trace *trace, const struct msl_thread *thread, int space)
{
    if (trace->group == 0)
        return false;
    if (trace->group != thread->group || trace->many_groups)
        return space == MSL_SPACE_DEVICE;
    if (is_ordered(trace, thread, space))
        return false;
    return trace->many_simds || trace->many_lanes || trace->thread != thread->thread;
}

static void remember(struct trace *trace, const struct msl_thread *thread, int space)
{
    bool same_group = trace->group == thread->group;
    bool together = same_group && !is_ordered(trace, thread, space);
    struct trace now = {
        .group = thread->group,
        .thread = thread->thread,
        .barriers = thread->barriers[space],
        .simd_barriers = thread->simd_barriers[space],
        .many_groups = trace->many_groups || (trace->group != 0 && !same_group),
        .many_simds = together && (trace->many_simds || !same_simd(trace, thread)),
        .many_lanes = together && (trace->many_lanes || trace->thread != thread->thread),
    };
    *trace = now;
}

static const char *const did[] = {"reads", "writes", "atomically changes"};
static const char *const had_done[] = {"read", "wrote", "atomically changed"};

/* ---- One access ------------------------------------------------------------------------------ */

/* The buffer in the middle half of whose slot the address is, the threadgroup variables, or NULL. */
static struct msl_region *find_region(struct msl_memory *memory, uintptr_t address)
{
    uintptr_t slots = (uintptr_t)memory->slots, slot = memory->slot_bytes;
    if (address >= slots && address < slots + memory->count * slot) {
        struct msl_region *region = &memory->regions[(address - slots) / slot];
        uintptr_t place = (address - slots) % slot;
        return region->start && place >= slot / 4 && place < slot / 4 * 3 ? region : NULL;
    }
    struct msl_region *shared = &memory->regions[memory->count];
    uintptr_t start = (uintptr_t)shared->start;
    return address >= start && address < start + shared->size ? shared : NULL;
}

struct access {
    const struct msl_region *region;
    const struct msl_thread *thread;
    enum msl_host_access kind;
    size_t size;
    char *fault;
    size_t fault_size;
};

__attribute__((format(printf, 3, 4))) static bool
access_fails(const struct access *access, intptr_t offset, const char *format, ...)
{
    char where[128] = "threadgroup memory", what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (access->region->space == MSL_SPACE_DEVICE) {
        const char *name = access->region->name;
        snprintf(where, sizeof where, "buffer %zu ('%s')", access->region->index, name ? name : "");
    }
    snprintf(access->fault, access->fault_size,
             "thread %u of threadgroup %u %s %zu bytes of %s at offset %jd%s",
             access->thread->thread, access->thread->group - 1, did[access->kind], access->size,
             where, (intmax_t)offset, what);
    return false;
}

static bool check_byte(const struct access *access, struct cell *cell, size_t offset)
{
    static const bool conflicts[3][3] = {
        {false, true, true}, {true, true, true}, {true, true, false}};
    int space = access->region->space;
    if (space == MSL_SPACE_SHARED) {
        for (int i = 0; i < 3; i++)
            if (cell->traces[i].group != access->thread->group)
                cell->traces[i] = (struct trace){0};
        if (access->kind != MSL_HOST_WRITE && cell->traces[MSL_HOST_WRITE].group == 0 &&
            cell->traces[MSL_HOST_ATOMIC].group == 0)
            return access_fails(access, (intptr_t)offset, ", which no thread has written");
    }
    for (int i = 0; i < 3; i++) {
        const struct trace *trace = &cell->traces[i];
        if (conflicts[access->kind][i] && is_race(trace, access->thread, space))
            return access_fails(access, (intptr_t)offset,
                                ", which thread %u of threadgroup %u %s: a race", trace->thread,
                                trace->group - 1, had_done[i]);
    }
    remember(&cell->traces[access->kind], access->thread, space);
    return true;
}

/* Constant tables of the program's own. */
static bool is_constant(const struct msl_memory *memory, const void *address,
                        enum msl_host_access kind)
{
    Dl_info ours, its;
    return kind == MSL_HOST_READ && dladdr(memory->library, &ours) && dladdr(address, &its) &&
           ours.dli_fbase == its.dli_fbase;
}

bool msl_memory_access(struct msl_memory *memory, const struct msl_thread *thread,
                       const void *address, size_t size, size_t alignment,
                       enum msl_host_access kind, char *fault, size_t fault_size)
{
    struct msl_region *region = find_region(memory, (uintptr_t)address);
    if (!region) {
        if (is_constant(memory, address, kind))
            return true;
        snprintf(fault, fault_size,
                 "thread %u of threadgroup %u %s %zu bytes far outside of every buffer",
                 thread->thread, thread->group - 1, did[kind], size);
        return false;
    }
    struct access access = {region, thread, kind, size, fault, fault_size};
    intptr_t offset = (intptr_t)((uintptr_t)address - (uintptr_t)region->start);
    if (offset < 0 || (size_t)offset > region->size || size > region->size - (size_t)offset)
        return access_fails(&access, offset, ", which has %zu bytes", region->size);
    if ((uintptr_t)address % alignment != 0)
        return access_fails(&access, offset, ", which is not aligned to %zu", alignment);
    for (size_t i = 0; i < size; i++)
        if (!check_byte(&access, &region->cells[(size_t)offset + i], (size_t)offset + i))
            return false;
    return true;
}
