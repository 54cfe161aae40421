#ifndef TILEC_TESTS_RANDOM_C_NATIVE_H
#define TILEC_TESTS_RANDOM_C_NATIVE_H
/*
 * Kernels as C: a compiler of C makes one library of many. It reads the kernel file as it is, with
 * include/tilec/kernel.h here in the place of tilec's; a tile is the element whose turn it is, so a
 * function runs once for each program and element.
 */
#include <stdbool.h>
#include <stdint.h>

struct kernel;

/* arguments: of the parameters that the kernel uses, the first element of an array or the scalar */
typedef void native_kernel(void **arguments, const int64_t grid[3]);

struct native {
    void *library;  /* or NULL */
    char why[2000]; /* it is not there: what the compiler said */
};

bool native_is_available(const char *compiler);
bool native_has_bfloat(const char *compiler);
void native_open(struct native *native, const char *compiler, struct kernel *const *kernels,
                 uint64_t count);
/* NULL: it could not be compiled. */
native_kernel *native_find(const struct native *native, const struct kernel *kernel);
void native_close(struct native *native);

#endif
