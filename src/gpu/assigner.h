#ifndef TILEC_GPU_ASSIGNER_H
#define TILEC_GPU_ASSIGNER_H
/*
 * What the files of the layout assignment share: assign.c (which op gets what), assign_demand.c (a
 * value in the layout that a user wants), assign_access.c (loads and stores), assign_control.c
 * (what loops carry and branches leave).
 */
#include "gpu/assign.h"

struct assigner {
    struct ir_func *func;
    struct arena *arena;
    const struct gpu_plan *plan;
    struct gpu_layout_counts *counts;
    struct diagnostics *diagnostics;
    bool turns; /* tiles of elements of two bytes are transposed */
    bool failed;
};

static inline bool is_flexible(const struct ir_value *value)
{
    return gpu_value_of(value)->flexible;
}

/* The layout that a value has of its own; it must not be flexible. */
static inline struct layout home_of(const struct ir_value *value)
{
    return gpu_value_of(value)->tiles->layout;
}

static inline struct layout default_of(const struct assigner *a, struct ir_type type)
{
    return gpu_layout_default(type, a->plan, type.rank - 1);
}

/* Its own layout, or the usual one. */
static inline struct layout natural(const struct assigner *a, const struct ir_value *value)
{
    return is_flexible(value) ? default_of(a, value->type) : home_of(value);
}

/* ---- values and demands (assign_demand.c) ---------------------------------------------------- */

/* Gives a value its struct gpu_value; assign_home a layout of its own, too. */
struct gpu_value *assign_info(struct assigner *a, struct ir_value *value);
void assign_home(struct assigner *a, struct ir_value *value, struct layout layout);
/* The layout that an op works in. */
void assign_op_layout(struct assigner *a, struct ir_op *op, struct layout layout);
/* The value in the layout: itself, or a conversion of it. */
struct ir_value *assign_demand(struct assigner *a, struct ir_value *value, struct layout layout);
void assign_demand_all(struct assigner *a, struct ir_op *op, struct layout layout);

/* ---- loads and stores (assign_access.c) ------------------------------------------------------ */

/* The axis along which neighbours in memory follow each other; else, and without offsets, the last.
 */
int assign_contiguous_axis(const struct ir_value *offsets, struct ir_type type);
/* The layout that suits a load of the type along the axis. */
struct layout assign_loaded_layout(const struct assigner *a, struct ir_type type, int axis);
void assign_access(struct assigner *a, struct ir_op *op);

/* ---- control (assign_control.c) -------------------------------------------------------------- */

void assign_for(struct assigner *a, struct ir_op *op);
void assign_while(struct assigner *a, struct ir_op *op);
void assign_if(struct assigner *a, struct ir_op *op);
void assign_region(struct assigner *a, struct ir_region *region); /* assign.c */

#endif
