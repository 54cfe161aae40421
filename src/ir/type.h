#ifndef TILEC_IR_TYPE_H
#define TILEC_IR_TYPE_H
/*
 * Types of Tile IR and GPU IR: an element type and a static shape. Rank 0 is a scalar, uniform over
 * the program. A pointer type is a (tile of) addresses of elements; only GPU IR has pointers into
 * threadgroup memory. Types are small values; compare them with ir_type_equal.
 */
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

enum ir_elem {
#define ELEMENT(suffix, name, c_name, bits, kind) IR_##suffix,
#include "ir/elements.def"
#undef ELEMENT
};

enum { IR_ELEM_COUNT = IR_F64 + 1 };

enum ir_elem_kind { IR_KIND_BOOL, IR_KIND_SIGNED, IR_KIND_UNSIGNED, IR_KIND_FLOAT };

struct ir_elem_info {
    const char *name;   /* "f32" */
    const char *c_name; /* "float" */
    uint8_t bits;       /* in memory; bool: 8 */
    enum ir_elem_kind kind;
};

extern const struct ir_elem_info ir_elems[IR_ELEM_COUNT];

enum { IR_MAX_RANK = 6, IR_MAX_ELEMENTS = 1 << 20 };

enum ir_space { IR_SPACE_DEVICE, IR_SPACE_THREADGROUP };

struct ir_type {
    uint8_t elem;    /* enum ir_elem: the element, or what the pointers point to */
    bool pointer;    /* values are addresses of elem */
    uint8_t space;   /* enum ir_space: where a pointer points to; else 0 */
    uint8_t rank;    /* 0: scalar */
    int32_t dims[IR_MAX_RANK]; /* >= 1; those beyond rank are 0 */
};

struct ir_type ir_scalar(enum ir_elem elem);
struct ir_type ir_pointer(enum ir_elem elem);
struct ir_type ir_tile(enum ir_elem elem, int rank, const int32_t *dims);
/* The same shape with another element (not a pointer any more). */
struct ir_type ir_with_elem(struct ir_type type, enum ir_elem elem);
/* The same element (or pointer) with the shape of another. */
struct ir_type ir_with_shape(struct ir_type type, struct ir_type shape);
/* The same element (or pointer) with one axis less; axis -1: a scalar. */
struct ir_type ir_without_axis(struct ir_type type, int axis);

bool ir_type_equal(struct ir_type a, struct ir_type b);
bool ir_shape_equal(struct ir_type a, struct ir_type b);
int64_t ir_element_count(struct ir_type type); /* 1 for a scalar */
/* Of a reshape in which axes of 1 come and go and all others stay in order: which axis of `from` is
 * axis k of `to`, in before[k]; -1: that has one element. False: it does more; then before has the
 * axes up to there. */
bool ir_reshape_axes(struct ir_type from, struct ir_type to, int before[IR_MAX_RANK]);
static inline bool ir_is_float(enum ir_elem e)
{
    return ir_elems[e].kind == IR_KIND_FLOAT;
}
static inline bool ir_is_integer(enum ir_elem e) /* without bool */
{
    return ir_elems[e].kind == IR_KIND_SIGNED || ir_elems[e].kind == IR_KIND_UNSIGNED;
}
static inline bool ir_is_signed(enum ir_elem e)
{
    return ir_elems[e].kind == IR_KIND_SIGNED;
}
static inline size_t ir_elem_bytes(enum ir_elem e)
{
    return ir_elems[e].bits / 8u;
}

/* "f32", "f32[64, 32]", "ptr<f16>", "ptr<f16>[256]", "ptr<f32, threadgroup>" */
void ir_type_print(struct ir_type type, struct text *out);

/* Element by IR name ("f32"); false when there is none. */
bool ir_elem_by_name(const char *name, size_t length, enum ir_elem *elem);

#endif
