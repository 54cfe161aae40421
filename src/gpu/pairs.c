/*
 * Conversions of elements of two bytes, two, four or eight at a time.
 *
 * Where a thread holds two neighbours in two registers before and after, for instance the same two
 * rows of a tile that is transposed, they may travel together: as a word, in layouts of words, which
 * are the tile's without that bit of its elements and that bit of the registers. An exchange then takes half
 * the accesses, and its words fall into banks of their own. Two words that a thread holds before and
 * after make a unit again, and two of those: four words are one access.
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

/* The first register bit of the result that alone decides an element bit which one of the operand's
 * alone decides. */
static bool find_pair(struct gpu_pairs *pairs)
{
    const struct layout *from = &pairs->from, *to = &pairs->to;
    for (int k = 0; k < to->register_bits; k++) {
        int bit = own_bit(to, k);
        for (int i = 0; bit >= 0 && i < from->register_bits; i++) {
            if (own_bit(from, i) != bit)
                continue;
            pairs->from_bit[pairs->bits] = i;
            pairs->to_bit[pairs->bits] = k;
            pairs->from = words_of(from, i, bit);
            pairs->to = words_of(to, k, bit);
            pairs->bits++;
            return true;
        }
    }
    return false;
}

bool gpu_find_pairs(const struct layout *from, const struct layout *to, int most,
                    struct gpu_pairs *pairs)
{
    *pairs = (struct gpu_pairs){.from = *from, .to = *to};
    while (pairs->bits < most && find_pair(pairs))
        continue;
    return pairs->bits > 0;
}

int gpu_register_of_unit(const struct gpu_pairs *pairs, const int *bits, int unit, int place)
{
    for (int i = pairs->bits - 1; i >= 0; i--) {
        int below = unit & ((1 << bits[i]) - 1), above = unit >> bits[i];
        unit = (above << 1 | (place >> i & 1)) << bits[i] | below;
    }
    return unit;
}
