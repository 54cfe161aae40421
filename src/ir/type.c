/* Types of Tile IR; see type.h. */
#include "ir/type.h"

#include <string.h>

const struct ir_elem_info ir_elems[IR_ELEM_COUNT] = {
#define ELEMENT(suffix, name, c_name, bits, kind) {name, c_name, bits, IR_KIND_##kind},
#include "ir/elements.def"
#undef ELEMENT
};

struct ir_type ir_scalar(enum ir_elem elem)
{
    return (struct ir_type){.elem = (uint8_t)elem};
}

struct ir_type ir_pointer(enum ir_elem elem)
{
    return (struct ir_type){.elem = (uint8_t)elem, .pointer = true};
}

struct ir_type ir_tile(enum ir_elem elem, int rank, const int32_t *dims)
{
    struct ir_type type = {.elem = (uint8_t)elem, .rank = (uint8_t)rank};
    for (int i = 0; i < rank; i++)
        type.dims[i] = dims[i];
    return type;
}

struct ir_type ir_with_elem(struct ir_type type, enum ir_elem elem)
{
    type.elem = (uint8_t)elem;
    type.pointer = false;
    type.space = 0;
    return type;
}

struct ir_type ir_with_shape(struct ir_type type, struct ir_type shape)
{
    shape.elem = type.elem;
    shape.pointer = type.pointer;
    shape.space = type.space;
    return shape;
}

struct ir_type ir_without_axis(struct ir_type type, int axis)
{
    if (axis < 0)
        return ir_with_shape(type, (struct ir_type){0});
    for (int i = axis; i + 1 < type.rank; i++)
        type.dims[i] = type.dims[i + 1];
    type.dims[--type.rank] = 0;
    return type;
}

bool ir_type_equal(struct ir_type a, struct ir_type b)
{
    return a.elem == b.elem && a.pointer == b.pointer && a.space == b.space && ir_shape_equal(a, b);
}

bool ir_shape_equal(struct ir_type a, struct ir_type b)
{
    return a.rank == b.rank && memcmp(a.dims, b.dims, sizeof a.dims) == 0;
}

int64_t ir_element_count(struct ir_type type)
{
    int64_t count = 1;
    for (int i = 0; i < type.rank; i++)
        count *= type.dims[i];
    return count;
}

bool ir_reshape_axes(struct ir_type from, struct ir_type to, int before[IR_MAX_RANK])
{
    int f = 0;
    for (int k = 0; k < IR_MAX_RANK; k++)
        before[k] = -1;
    for (int k = 0; k < to.rank; k++) {
        if (to.dims[k] == 1)
            continue;
        while (f < from.rank && from.dims[f] == 1)
            f++;
        if (f == from.rank || from.dims[f] != to.dims[k])
            return false;
        before[k] = f++;
    }
    return true;
}

void ir_type_print(struct ir_type type, struct text *out)
{
    const char *name = ir_elems[type.elem].name;
    if (type.pointer)
        text_format(out, "ptr<%s%s>", name, type.space ? ", threadgroup" : "");
    else
        text_string(out, name);
    for (int i = 0; i < type.rank; i++)
        text_format(out, "%s%d", i == 0 ? "[" : ", ", (int)type.dims[i]);
    if (type.rank > 0)
        text_char(out, ']');
}

bool ir_elem_by_name(const char *name, size_t length, enum ir_elem *elem)
{
    for (int i = 0; i < IR_ELEM_COUNT; i++) {
        if (strlen(ir_elems[i].name) == length && memcmp(ir_elems[i].name, name, length) == 0) {
            *elem = (enum ir_elem)i;
            return true;
        }
    }
    return false;
}
