/* Names of statuses and element types of the public interface. */
#include "base/half.h"
#include "ir/type.h"

#include <string.h>
#include <tilec/tilec.h>

#define ELEMENT(suffix, name, c_name, bits, kind)                                                  \
    _Static_assert((int)TILEC_##suffix == (int)IR_##suffix, "types have the same numbers");
#include "ir/elements.def"
#undef ELEMENT

static const char *const status_texts[] = {
    [TILEC_OK] = "success",
    [TILEC_ERROR_NO_MEMORY] = "out of memory",
    [TILEC_ERROR_INVALID] = "a function was used wrongly",
    [TILEC_ERROR_IO] = "a file could not be read or written",
    [TILEC_ERROR_COMPILE] = "the kernel's text is wrong",
    [TILEC_ERROR_NOT_FOUND] = "there is nothing of that name",
    [TILEC_ERROR_REQUIREMENT] = "a requirement cannot be met",
    [TILEC_ERROR_TARGET] = "the target is unknown or not available",
    [TILEC_ERROR_ARGUMENT] = "a launch argument does not fit",
    [TILEC_ERROR_GRID] = "the grid does not fit",
    [TILEC_ERROR_FAULT] = "the kernel did something wrong",
    [TILEC_ERROR_INTERNAL] = "internal error of tilec",
    [TILEC_ERROR_DEVICE] = "the device failed or was lost",
};

const char *tilec_status_string(tilec_status status)
{
    unsigned index = (unsigned)status;
    return index < sizeof status_texts / sizeof *status_texts ? status_texts[index]
                                                              : "unknown status";
}

static bool is_type(tilec_type type)
{
    return (unsigned)type < IR_ELEM_COUNT;
}

const char *tilec_type_name(tilec_type type)
{
    return is_type(type) ? ir_elems[type].name : NULL;
}

size_t tilec_type_size(tilec_type type)
{
    return is_type(type) ? ir_elem_bytes((enum ir_elem)type) : 0;
}

tilec_status tilec_type_find(const char *name, tilec_type *type)
{
    enum ir_elem elem;
    if (!name || !type)
        return TILEC_ERROR_INVALID;
    if (!ir_elem_by_name(name, strlen(name), &elem))
        return TILEC_ERROR_NOT_FOUND;
    *type = (tilec_type)elem;
    return TILEC_OK;
}

tilec_argument tilec_int(tilec_type type, int64_t value)
{
    tilec_argument argument = {.kind = TILEC_SCALAR, .type = type, .bits = (uint64_t)value};
    size_t bits = 8 * tilec_type_size(type);
    if (type == TILEC_BOOL)
        argument.bits = value != 0;
    else if (bits && bits < 64 && !ir_is_float((enum ir_elem)type))
        argument.bits &= ((uint64_t)1 << bits) - 1;
    return argument;
}

tilec_argument tilec_float(tilec_type type, double value)
{
    tilec_argument argument = {.kind = TILEC_SCALAR, .type = type};
    union {
        float number;
        uint32_t bits;
    } single = {.number = (float)value};
    switch (type) {
    case TILEC_F16:
        argument.bits = half_from_double(value);
        break;
    case TILEC_BF16:
        argument.bits = bfloat_from_double(value);
        break;
    case TILEC_F32:
        argument.bits = single.bits;
        break;
    default: /* any other type is refused by the launch */
        memcpy(&argument.bits, &value, sizeof value);
        break;
    }
    return argument;
}
