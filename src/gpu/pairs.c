/*
 * Conversions of elements of two bytes, two at a time.
 *
 * Where a thread holds two neighbours in two registers before and after, for instance the same two
 * rows of a tile that is transposed, they may travel together: as a word, in layouts of words, which
 * are the tile's without that bit of its elements and that bit of the registers. An exchange then takes half
 * the accesses, and its words fall into banks of their own.
 */
#include "gpu/pairs.h"

/* The element bit that the register bit alone decides; -1: there is none. */
static int own_bit(const struct layout *layout, int reg)
{
    uint32_t column = layout->basis[reg], others = layout->offset;
    for (int i = 0; i < layout_place_bits(layout); i++)
        others |= i == reg ? 0 : layout->basis[i];
    return column && !(column & (column - 1)) && !(column & others) ? __builtin_ctz(column) : -1;
}

static uint32_t without_bit(uint32_t element, int bit)
{
    return (element & ((1u << bit) - 1)) | element >> (bit + 1) << bit;
}

static struct layout words_of(const struct layout *layout, int reg, int bit)
{
    struct layout words = *layout;
    int axis = layout->rank - 1, above = bit;
    while (above >= layout->axis_bits[axis])
        above -= layout->axis_bits[axis--];
    words.axis_bits[axis]--;
    words.element_bits--;
    words.register_bits--;
    words.offset = without_bit(layout->offset, bit);
    for (int i = 0; i < layout_place_bits(&words); i++)
        words.basis[i] = without_bit(layout->basis[i + (i >= reg)], bit);
    return words;
}

bool gpu_find_pairs(const struct layout *from, const struct layout *to, struct gpu_pairs *pairs)
{
    for (int i = 0; i < from->register_bits; i++) {
        int bit = own_bit(from, i);
        for (int k = 0; bit >= 0 && k < to->register_bits; k++) {
            if (own_bit(to, k) != bit)
                continue;
            *pairs = (struct gpu_pairs){
                .from_bit = i,
                .to_bit = k,
                .from = words_of(from, i, bit),
                .to = words_of(to, k, bit),
            };
            return true;
        }
    }
    return false;
}
