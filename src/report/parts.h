#ifndef TILEC_REPORT_PARTS_H
#define TILEC_REPORT_PARTS_H
/* What the files of report/ share. */
#include "report/report.h"

/* common.c. Takes value; false without memory, as all of them. */
bool report_set(json_t *object, const char *field, json_t *value);
/* Takes item. Without memory *list is given back and NULL, which further calls accept. */
void report_append(json_t **list, json_t *item);
json_t *report_strings(const char *const *items, int count);
/* The line that the op is from, in its file; null: from none. */
json_t *report_line(const struct ir_op *op);
/* The fields that every report has, with the head's and empty lists. */
json_t *report_new(const struct report_head *head);
/* How many of each op, by name, in the order of the table. */
json_t *report_operations(const struct ir_func *func);

/* A GPU function with the names of its values as they are printed, by id. */
struct report_func {
    const struct gpu_kernel *kernel;
    const struct ir_func *func;
    const char **names;
};

/* gpu_memory.c */
json_t *report_allocations(const struct report_func *f);
json_t *report_loops(const struct report_func *f);
/* Accesses of several elements at once, of buffers; loads or stores. staged: those whose value
 * only goes to threadgroup memory. */
json_t *report_grouped(const struct report_func *f, bool loads);
int report_staged_loads(const struct report_func *f);
int report_masked_accesses(const struct report_func *f);
json_t *report_barriers(const struct report_func *f);
/* Where an address comes from: a parameter's value, a `shared` op's result, or something else. */
const struct ir_value *report_array(const struct ir_value *pointer);

/* gpu_pipelines.c */
json_t *report_pipelines(const struct report_func *f);
/* Fields of the plan about products: simdgroup_grid, tile_shape, double_buffer, cooperative_layout;
 * set only where there are products. */
bool report_product(const struct report_func *f, json_t *plan);

/* gpu_reductions.c: all of them, or those of several registers of a thread. */
json_t *report_reductions(const struct report_func *f, bool registers_only);

/* cpu_llvm.c: loops and operations of the kernel's function in the text. */
bool report_llvm(json_t *report, const char *kernel, const char *llvm);

#endif
