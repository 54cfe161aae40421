/*
 * Planning conversions; see convert.h.
 *
 * Let S and D be the maps of the operand and the result. The result's place p needs some place q of
 * the operand with S(q) = D(p). If q may keep p's lane and group, the difference
 * D(p) xor S(lane and group of p) must lie in the span of S's register columns; if q may keep p's
 * group only, in the span of its register and lane columns. Both sides are affine, so it is enough
 * to check each column and the offset, and the coordinates found for these make the map q(p).
 */
#include "layout/convert.h"

#include "layout/f2.h"

static bool same_tile(const struct layout *a, const struct layout *b)
{
    if (a->element_bits != b->element_bits || a->rank != b->rank)
        return false;
    for (int i = 0; i < a->rank; i++)
        if (a->axis_bits[i] != b->axis_bits[i])
            return false;
    return true;
}

/*
 * Finds the map when the operand's place bits below `free` may be chosen and those from `free` on
 * are taken over from the result's place. to_kept: the result's place bit that the operand's bit
 * `free` corresponds to (lanes and groups stand above registers, whose number may differ).
 */
static bool find_source(const struct layout *from, const struct layout *to, int free, int to_kept,
                        struct layout_conversion *plan)
{
    struct f2_span span = {0};
    for (int i = 0; i < free; i++)
        f2_span_add(&span, from->basis[i]);
    for (int i = 0; i < layout_place_bits(to); i++) {
        bool kept = i >= to_kept;
        int bit = i - to_kept + free; /* the operand's place bit, if kept */
        uint32_t difference = to->basis[i] ^ (kept ? from->basis[bit] : 0), chosen;
        if (!f2_span_contains(&span, difference, &chosen))
            return false;
        plan->source_basis[i] = chosen | (kept ? 1u << bit : 0);
    }
    return f2_span_contains(&span, to->offset ^ from->offset, &plan->source_offset);
}

static bool is_identity(const struct layout *from, const struct layout *to)
{
    if (from->register_bits != to->register_bits || from->offset != to->offset)
        return false;
    for (int i = 0; i < layout_place_bits(to); i++)
        if (from->basis[i] != to->basis[i])
            return false;
    return true;
}

/* Vectors that, with those already in `have`, span what `columns` span too. */
static int extend(struct f2_span *have, const uint32_t *columns, int count, uint32_t *added)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        if (f2_span_add(have, columns[i]))
            added[n++] = columns[i];
    return n;
}

/* A basis of the intersection of the spans of a and b: combinations of a that b contains. */
static int intersect(const uint32_t *a, int a_count, const uint32_t *b, int b_count, uint32_t *out)
{
    struct f2_span span = {0}, found = {0};
    int n = 0;
    uint32_t combination;
    for (int i = 0; i < b_count; i++)
        f2_span_add(&span, b[i]);
    for (int i = 0; i < a_count; i++) {
        if (f2_span_contains(&span, a[i], &combination)) {
            uint32_t vector = 0;
            for (int k = 0; k <= i; k++) /* the part of the combination that comes from a */
                if (k == i || (combination >> (b_count + k) & 1))
                    vector ^= a[k];
            if (f2_span_add(&found, vector))
                out[n++] = vector;
        }
        f2_span_add(&span, a[i]);
    }
    return n;
}

/*
 * Chooses slots such that the lowest lanes of both sides fall into different banks: the banks
 * are the quotient by a subspace K that meets neither V = span of from's lanes nor W = span of to's
 * lanes. With v1..vk and w1..wk extending a basis of V n W to V and W, K = the vi + wi plus what
 * lies outside V + W (then the larger of V and W needs no more banks than it has dimensions).
 */
static void choose_slots(const struct layout *from, const struct layout *to, int word_bits,
                         struct layout_conversion *plan)
{
    int from_lanes = from->lane_bits - word_bits, to_lanes = to->lane_bits - word_bits;
    const uint32_t *v = from->basis + from->register_bits, *w = to->basis + to->register_bits;
    uint32_t common[LAYOUT_MAX_BITS], only_v[LAYOUT_MAX_BITS], only_w[LAYOUT_MAX_BITS];
    uint32_t order[LAYOUT_MAX_BITS];
    int n = 0, common_count = intersect(v, from_lanes, w, to_lanes, common);
    struct f2_span seen_v = {0}, seen_w = {0}, all = {0};
    for (int i = 0; i < common_count; i++) {
        f2_span_add(&seen_v, common[i]);
        f2_span_add(&seen_w, common[i]);
    }
    int v_count = extend(&seen_v, v, from_lanes, only_v);
    int w_count = extend(&seen_w, w, to_lanes, only_w);
    /* order: vectors whose coordinates become the slot's bits, banks first. */
    for (int i = 0; i < common_count; i++)
        order[n++] = common[i];
    const uint32_t *more = v_count > w_count ? only_v : only_w;
    int most = v_count > w_count ? v_count : w_count, both = v_count + w_count - most;
    for (int i = 0; i < most; i++)
        order[n++] = more[i];
    for (int i = 0; i < n; i++)
        f2_span_add(&all, order[i]);
    /* Lanes beyond the distinct ones need no bank of their own; fill up with other directions. */
    uint32_t pairs[LAYOUT_MAX_BITS];
    for (int i = 0; i < both; i++)
        pairs[i] = only_v[i] ^ only_w[i];
    struct f2_span complete = all;
    for (int i = 0; i < both; i++)
        f2_span_add(&complete, pairs[i]);
    for (int e = 0; e < from->element_bits; e++)
        if (f2_span_add(&complete, 1u << e)) {
            order[n++] = 1u << e;
            f2_span_add(&all, 1u << e);
        }
    for (int i = 0; i < both; i++) {
        order[n++] = pairs[i];
        f2_span_add(&all, pairs[i]);
    }
    for (int e = 0; e < from->element_bits; e++)
        f2_span_contains(&all, 1u << e, &plan->slot_basis[e]);
}

bool layout_convert(const struct layout *from, const struct layout *to,
                    struct layout_conversion *plan)
{
    return layout_convert_words(from, to, 0, plan);
}

bool layout_convert_words(const struct layout *from, const struct layout *to, int word_bits,
                          struct layout_conversion *plan)
{
    if (!layout_is_valid(from) || !layout_is_valid(to) || !same_tile(from, to))
        return false;
    *plan = (struct layout_conversion){.element_bits = from->element_bits};
    int registers = from->register_bits, lanes = registers + from->lane_bits;
    bool same_threads = from->lane_bits == to->lane_bits && from->group_bits == to->group_bits;
    if (same_threads && find_source(from, to, registers, to->register_bits, plan)) {
        plan->mechanism = is_identity(from, to) ? LAYOUT_NONE : LAYOUT_REGISTERS;
        return true;
    }
    if (same_threads && find_source(from, to, lanes, to->register_bits + to->lane_bits, plan)) {
        plan->mechanism = LAYOUT_SHUFFLE;
        return true;
    }
    plan->mechanism =
        from->block_bits > 0 || to->block_bits > 0 ? LAYOUT_CLUSTER : LAYOUT_EXCHANGE;
    find_source(from, to, layout_place_bits(from), layout_place_bits(to), plan);
    choose_slots(from, to, word_bits, plan);
    return true;
}
