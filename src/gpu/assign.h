#ifndef TILEC_GPU_ASSIGN_H
#define TILEC_GPU_ASSIGN_H
/*
 * Layout assignment: which thread holds which element of each tile; see assign.c.
 */
#include "gpu/gpu.h"
#include "layout/convert.h"

/* A tile in one layout. Filled by the lowering: part i holds registers i * width to
 * i * width + width - 1, as a vector (width 1: a scalar). */
struct gpu_tile {
    struct layout layout;
    int width, count;
    struct ir_value **parts; /* NULL until lowered */
    struct gpu_tile *next;
};

/* What value->data of the assigned function points to. */
struct gpu_value {
    /* A function of the element's index and of scalars only, so that it is computed in each layout
     * that is asked for, and never converted. */
    bool flexible;
    struct gpu_tile *tiles;  /* one, unless flexible */
    struct ir_value *scalar; /* filled by the lowering, for scalars and pointers */
};

/* All columns of a gpu layout have at most one bit, and no two the same: a place bit selects an
 * element bit or replicates. So reductions and accesses may treat bits one by one. */

/* ---- shapes and layouts (layouts.c) ---------------------------------------------------------- */

/* log2 of the next power of two; axes are padded to it. */
int gpu_axis_bits(int32_t dim);
int gpu_shape_bits(struct ir_type type);
/* Whether some axis is no power of two, so that places stand for no element. */
bool gpu_is_padded(struct ir_type type);
/* Whether a reshape keeps every element's bits: axes of 1 come and go, or no axis is padded. */
bool gpu_keeps_bits(struct ir_type from, struct ir_type to);

/* Threads hold runs along the axis that is contiguous in memory; neighbours follow each other. */
struct layout gpu_layout_default(struct ir_type type, const struct gpu_plan *plan, int fast_axis);
/* log2 of the rows of which a thread should hold the same columns, so that their elements, of two bytes,
 * move together (pairs.h). */
int gpu_most_paired_bits(const struct gpu_plan *plan);
/* Likewise of a tile with two axes; a thread that holds more than one vector has the same columns of
 * neighbouring rows first, as many as that. */
struct layout gpu_layout_paired(struct ir_type type, const struct gpu_plan *plan, int fast_axis);
/* Likewise with runs of `width`; of an axis that is no power of two, the bits that would split it unevenly
 * go to registers, so that those which hold nothing are known. */
struct layout gpu_layout_copy(struct ir_type type, const struct gpu_plan *plan, int fast_axis,
                              int width);
/* Where lanes side by side hold fewer than `enough` neighbours along the axis: each lane gets `width` of them
 * for elements that are further away, which stay in the SIMD group. Else the same layout. */
struct layout gpu_layout_gathered(struct layout layout, int axis, int width, int enough);
/* Runs of `width` along an axis; neighbouring threads follow each other along the other ones. */
struct layout gpu_layout_turn(struct ir_type type, const struct gpu_plan *plan, int axis, int width);
struct layout gpu_layout_explicit(const struct ir_layout *layout, struct ir_type type,
                                  const struct gpu_plan *plan);
/* The same bits for another shape. */
struct layout gpu_layout_reshape(struct layout layout, struct ir_type type);
/* The layout that a broadcast's operand needs so that every thread has what the result needs. */
struct layout gpu_layout_before_broadcast(struct layout layout, struct ir_type from,
                                          struct ir_type to);
/* permutation as of trans: result axis i is operand axis p[i]. */
struct layout gpu_layout_trans(struct layout layout, const uint8_t *permutation);
/* Holds at each place what the layout holds, exchanged: the element whose index along the axis is
 * another one's ^ distance. */
struct layout gpu_layout_exchanged(struct layout layout, int axis, int64_t distance);
struct layout gpu_layout_before_trans(struct layout layout, const uint8_t *permutation);
/* Without the axis, and without registers that hold copies. */
struct layout gpu_layout_reduced(struct layout layout, int axis);
/* Elements along the axis follow each other in registers, then lanes, then groups. */
struct layout gpu_layout_scan(struct ir_type type, int axis, const struct gpu_plan *plan);
/* The register bit below all others selects the element's part of a join. */
struct layout gpu_layout_joined(struct layout layout, struct ir_type joined);
struct layout gpu_layout_before_join(struct layout layout, struct ir_type half);
bool gpu_layout_is_joined(const struct layout *layout);

/* The element's place bits that lie on the axis, shifted to its index. */
void gpu_layout_axis(const struct layout *layout, int axis, uint32_t *columns, uint32_t *offset);
/* Elements of a part: registers that hold neighbours along an axis. */
int gpu_layout_width(const struct layout *layout, const struct gpu_plan *plan);

/* ---- strides (stride.c) ---------------------------------------------------------------------- */

/* Whether the elements of an integer tile grow by a constant along the axis (modulo 2^64). */
bool gpu_stride_along(const struct ir_value *value, int axis, int64_t *stride);

/* ---- assignment (in the files that assigner.h names) ----------------------------------------- */

/* The scalar base and the tile of offsets (or NULL) of an access's pointer. */
void gpu_pointer_parts(const struct ir_value *pointer, struct ir_value **base,
                       struct ir_value **offsets);

/* func: as gpu_expand made it, and as passes simplified it. Sets value->data of all values and
 * op->data (a struct layout: the one that the op works in), and adds convert_layout ops. */
bool gpu_assign(struct ir_func *func, const struct gpu_plan *plan, struct gpu_layout_counts *counts,
                struct diagnostics *diagnostics);

static inline struct gpu_value *gpu_value_of(const struct ir_value *value)
{
    return value->data;
}

/* The tile of a value in a layout, or NULL. */
struct gpu_tile *gpu_tile_in(const struct ir_value *value, const struct layout *layout);

#endif
