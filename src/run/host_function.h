#ifndef TILEC_RUN_HOST_FUNCTION_H
#define TILEC_RUN_HOST_FUNCTION_H
/*
 * Host functions (grids, launch requirements, buffer sizes) where there is no code generator for
 * the host: a list of steps over a table of values. They have no loops and no memory.
 */
#include "ir/ir.h"

struct host_function;

/* In arena, which may die before the IR does or after it. NULL for NULL. */
struct host_function *host_function_new(const struct ir_func *func, struct arena *arena);
/* Not at the same time for one function: the table is the function's. */
void host_function_call(struct host_function *function, const uint64_t *inputs, uint64_t *results);

#endif
