/*
 * Layouts and conversions against brute force: every property is stated over all places and
 * elements; conversions are compared with the cheapest mechanism that a search over places allows.
 */
#include "layout/convert.h"
#include "layout/f2.h"
#include "layout/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t random_state = 1;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* A random layout that holds every element; with more place bits than element bits it replicates.
 */
static struct layout random_layout(int element_bits, int registers, int lanes, int groups)
{
    struct layout l = {.element_bits = element_bits,
                       .register_bits = registers,
                       .lane_bits = lanes,
                       .group_bits = groups,
                       .rank = 1};
    l.axis_bits[0] = element_bits;
    if (element_bits > 1 && next_random(2)) {
        l.rank = 2;
        l.axis_bits[0] = 1 + (int)next_random((uint32_t)element_bits - 1);
        l.axis_bits[1] = element_bits - l.axis_bits[0];
    }
    do {
        l.offset = next_random(1u << element_bits);
        for (int i = 0; i < layout_place_bits(&l); i++)
            l.basis[i] = next_random(4) ? 1u << next_random((uint32_t)element_bits)
                                        : next_random(1u << element_bits);
    } while (!layout_is_valid(&l));
    return l;
}

static void same_axes(struct layout *l, const struct layout *as)
{
    l->rank = as->rank;
    memcpy(l->axis_bits, as->axis_bits, sizeof l->axis_bits);
}

/* ---- layouts ------------------------------------------------------------------------------- */

static void span_membership(void **state)
{
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        uint32_t vectors[6], target = next_random(256);
        struct f2_span span = {0};
        for (int i = 0; i < 6; i++) {
            vectors[i] = next_random(256);
            f2_span_add(&span, vectors[i]);
        }
        bool reachable = false;
        for (uint32_t subset = 0; subset < 64; subset++)
            reachable |= f2_apply(vectors, 6, subset) == target;
        uint32_t combination;
        assert_int_equal(f2_span_contains(&span, target, &combination), reachable);
        if (reachable)
            assert_int_equal(f2_apply(vectors, 6, combination), target);
    }
}

static void validity_is_being_onto(void **state)
{
    (void)state;
    /* All maps from 3 place bits to 2 element bits. */
    for (uint32_t code = 0; code < 64; code++) {
        struct layout l = {.element_bits = 2,
                           .register_bits = 1,
                           .lane_bits = 1,
                           .group_bits = 1,
                           .basis = {code & 3, code >> 2 & 3, code >> 4 & 3},
                           .rank = 1,
                           .axis_bits = {2}};
        uint32_t reached = 0;
        for (uint32_t place = 0; place < 8; place++)
            reached |= 1u << layout_element(&l, place);
        assert_int_equal(layout_is_valid(&l), reached == 15);
        assert_false(layout_is_bijective(&l));
    }
}

/* ---- conversions --------------------------------------------------------------------------- */

static uint32_t lane_and_group(const struct layout *l, uint32_t place)
{
    return place >> l->register_bits;
}

static uint32_t group_of(const struct layout *l, uint32_t place)
{
    return place >> (l->register_bits + l->lane_bits);
}

/* The cheapest mechanism by search: for every place, is there a source within the same thread, the
 * same group, anywhere? */
static enum layout_mechanism cheapest(const struct layout *from, const struct layout *to)
{
    bool none = from->register_bits == to->register_bits, registers = true, shuffle = true;
    for (uint32_t p = 0; p < 1u << layout_place_bits(to); p++) {
        bool in_thread = false, in_group = false;
        for (uint32_t q = 0; q < 1u << layout_place_bits(from); q++) {
            if (layout_element(from, q) != layout_element(to, p))
                continue;
            in_thread |= lane_and_group(from, q) == lane_and_group(to, p);
            in_group |= group_of(from, q) == group_of(to, p);
        }
        none &= none && layout_element(from, p) == layout_element(to, p);
        registers &= in_thread;
        shuffle &= in_group;
    }
    return none        ? LAYOUT_NONE
           : registers ? LAYOUT_REGISTERS
           : shuffle   ? LAYOUT_SHUFFLE
                       : LAYOUT_EXCHANGE;
}

static void check_conversion(const struct layout *from, const struct layout *to)
{
    struct layout_conversion plan;
    assert_true(layout_convert(from, to, &plan));
    assert_int_equal(plan.mechanism, cheapest(from, to));
    for (uint32_t p = 0; p < 1u << layout_place_bits(to); p++) {
        uint32_t q = plan.source_offset ^ f2_apply(plan.source_basis, layout_place_bits(to), p);
        assert_int_equal(layout_element(from, q), layout_element(to, p));
        if (plan.mechanism <= LAYOUT_REGISTERS)
            assert_int_equal(lane_and_group(from, q), lane_and_group(to, p));
        if (plan.mechanism <= LAYOUT_SHUFFLE)
            assert_int_equal(group_of(from, q), group_of(to, p));
        if (plan.mechanism == LAYOUT_NONE)
            assert_int_equal(p, q);
    }
}

static void every_pair_of_small_bijections(void **state)
{
    (void)state;
    /* All 168 invertible 3 x 3 maps, 1 register bit, 1 lane bit, 1 group bit, both ways. */
    struct layout all[168];
    int count = 0;
    for (uint32_t code = 0; code < 512; code++) {
        struct layout l = {.element_bits = 3,
                           .register_bits = 1,
                           .lane_bits = 1,
                           .group_bits = 1,
                           .basis = {code & 7, code >> 3 & 7, code >> 6},
                           .rank = 1,
                           .axis_bits = {3}};
        if (layout_is_valid(&l))
            all[count++] = l;
    }
    assert_int_equal(count, 168);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++) {
            all[b].offset = (uint32_t)(a + b) & 7;
            struct layout from = all[a];
            from.offset = (uint32_t)a % 3;
            check_conversion(&from, &all[b]);
        }
}

static void random_and_replicated_pairs(void **state)
{
    (void)state;
    for (int trial = 0; trial < 1000; trial++) {
        int bits = 2 + (int)next_random(4);
        struct layout from = random_layout(bits, (int)next_random(3) + 1, 2, 2);
        struct layout to = random_layout(bits, (int)next_random(3) + 1, 2, 2);
        same_axes(&to, &from);
        check_conversion(&from, &to);
    }
}

static void conversion_is_refused_between_tiles(void **state)
{
    (void)state;
    struct layout a = random_layout(4, 2, 2, 1), b = random_layout(5, 3, 2, 1);
    struct layout_conversion plan;
    assert_false(layout_convert(&a, &b, &plan));
    a.basis[0] = a.basis[1] = a.basis[2] = a.basis[3] = a.basis[4] = 0;
    assert_false(layout_convert(&a, &a, &plan));
}

/* So many lanes at once as elements of 2^word_bits words fill the banks touch different ones, or
 * the same element. */
static void assert_no_bank_conflicts(const struct layout *side,
                                     const struct layout_conversion *plan, int word_bits)
{
    uint32_t slot_of[1 << LAYOUT_BANK_BITS], lanes = 1u << (LAYOUT_BANK_BITS - word_bits);
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t element = layout_element(side, lane << side->register_bits);
        slot_of[lane] = f2_apply(plan->slot_basis, side->element_bits, element);
        for (uint32_t other = 0; other < lane; other++)
            assert_true(slot_of[lane] == slot_of[other] ||
                        (slot_of[lane] ^ slot_of[other]) % lanes != 0);
    }
}

static void exchanges_have_no_bank_conflicts(void **state)
{
    (void)state;
    int exchanges = 0;
    for (int trial = 0; trial < 1000; trial++) {
        int bits = 5 + (int)next_random(6);
        struct layout from = random_layout(bits, 4, 5, 3), to = random_layout(bits, 4, 5, 3);
        same_axes(&to, &from);
        struct layout_conversion plan;
        assert_true(layout_convert(&from, &to, &plan));
        if (plan.mechanism != LAYOUT_EXCHANGE)
            continue;
        exchanges++;
        unsigned char seen[1 << 10] = {0};
        for (uint32_t e = 0; e < 1u << bits; e++) {
            uint32_t slot = f2_apply(plan.slot_basis, bits, e);
            assert_true(slot < 1u << bits);
            assert_false(seen[slot]++);
        }
        assert_no_bank_conflicts(&from, &plan, 0);
        assert_no_bank_conflicts(&to, &plan, 0);
    }
    assert_true(exchanges > 300);
}

static void wide_exchanges_have_no_bank_conflicts(void **state)
{
    (void)state;
    int exchanges = 0;
    for (int trial = 0; trial < 1000; trial++) {
        int bits = 5 + (int)next_random(6), words = 1 + trial % 2;
        struct layout sides[2] = {random_layout(bits, 4, 5, 3), random_layout(bits, 4, 5, 3)};
        struct layout_conversion plan;
        same_axes(&sides[1], &sides[0]);
        assert_true(layout_convert_words(&sides[0], &sides[1], words, &plan));
        if (plan.mechanism != LAYOUT_EXCHANGE)
            continue;
        exchanges++;
        for (int k = 0; k < 2; k++)
            assert_no_bank_conflicts(&sides[k], &plan, words);
    }
    assert_true(exchanges > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(span_membership),
        cmocka_unit_test(validity_is_being_onto),
        cmocka_unit_test(every_pair_of_small_bijections),
        cmocka_unit_test(random_and_replicated_pairs),
        cmocka_unit_test(conversion_is_refused_between_tiles),
        cmocka_unit_test(exchanges_have_no_bank_conflicts),
        cmocka_unit_test(wide_exchanges_have_no_bank_conflicts),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
