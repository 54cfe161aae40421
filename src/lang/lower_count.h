#ifndef TILEC_LANG_LOWER_COUNT_H
#define TILEC_LANG_LOWER_COUNT_H
/*
 * Loops that count, for lower_loop.c:
 *
 *   which do, from where to where           lower_count.c
 *     bounds that are read from memory      lower_count_memory.c
 *   what their counter holds                lower_counter.c
 *   turns of other loops that are known     lower_turns.c
 */
#include "lang/lower.h"

#include "ir/affine.h"

/* A counted loop: i counts from lo up to hi by step; the counter is i, or start - i where it counts
 * down. Where the way may be too long for a long, i counts turns instead, from 0 on: the counter is
 * start + i * stride, or start - i * stride. */
struct counted {
    struct value lo, hi, step;
    struct value start; /* where it counts down, or by turns */
    struct value stride;
    bool down, by_turns, is_long; /* long: i * stride may be too large for a long */
    const char *name;             /* of the counter; NULL: turns are counted, which nothing sees */
    struct source_range range;
    enum ir_elem nominal;
    const struct ast_statement *steps; /* behind the body, or NULL */
    const char *why, *instead;         /* it does not count, if one would expect it to; else NULL */
    struct {
        const struct ir_op **items;
        size_t count, capacity;
    } reads; /* of memory, by bound and step */
};

/* What became of a loop that is written as one that counts. */
enum counting { COUNTS, COUNTS_NOT, COUNT_WRONG };

enum counting lower_count_loop(struct lower *l, const struct ast_statement *s,
                               const struct loop_effects *effects, struct counted *counted);
/* The turns of a loop whose condition and steps hang on constants alone; -1: they are not known. */
int64_t lower_known_turns(struct lower *l, const struct ast_statement *s,
                          const struct loop_effects *effects);
/* Whether the loop, built in that region, may write what its bound or step reads. */
bool lower_changes_bound(struct counted *counted, struct ir_region *region);
/* Whether somebody sees the counter behind the loop. */
bool lower_is_outer_counter(const struct ast_statement *s);
/* Says why a loop that is written as one that counts does not, where another type would make it
 * one. */
void lower_note_uncounted(struct lower *l, const struct counted *counted);

/* Declares the counter, of which i is the loop's. */
void lower_declare_counter(struct lower *l, const struct counted *counted, struct ir_value *i);
/* Where a loop that can be left counts i itself: whether another turn begins, and the next i. */
struct value lower_below_bound(struct lower *l, const struct counted *counted, struct ir_value *i);
struct value lower_next_place(struct lower *l, const struct counted *counted, struct ir_value *i);
/* What the counter holds behind the loop, for a constant step. */
struct value lower_counter_behind(struct lower *l, const struct counted *counted);

/* ---- between these files */
/* Notes what the ops from first on read, in themselves and their regions. False: they write too. */
bool lower_note_reads(struct lower *l, struct counted *counted, struct ir_op *first);
struct value lower_index_binary(struct lower *l, enum ir_opcode code, struct value x,
                                struct value y);
struct ir_interval lower_interval(struct value v);
/* Whether the way from one to the other, as a difference, may be too long for 64 bits. */
bool lower_may_pass(struct value from, struct value to);
/* How many steps lead from one place to the other, or beyond it; inclusive: one more where the
 * last leads just there. In unsigned numbers, which hold every way. The step is at least 1. */
struct value lower_turns_between(struct lower *l, struct value from, struct value to,
                                 struct value step, bool inclusive);

#endif
