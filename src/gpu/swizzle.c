/*
 * block_swizzle: programs take the tiles of a two-dimensional grid in another order, so that those
 * that run at one time share rows and columns of what they read. Tile IR.
 *
 *   %m = program_id {axis 0}               %m = an index computed from both numbers
 *   %n = program_id {axis 1}         ->    %n = likewise
 *
 * Each order is a permutation of the grid, whatever its size: programs are numbered in the order in
 * which they start, axis 0 first, and the number is taken apart in another way.
 *
 *   grouped   eight rows at a time, column by column
 *   diagonal  column n starts at row n, and wraps around
 *   morton    blocks of 8 x 8 along Z, the rest of the grid row by row
 *   hilbert   the same along Hilbert's curve
 */
#include "gpu/matrix.h"

enum { ROWS = 8, CURVE_BITS = 3, SIDE = 1 << CURVE_BITS };

struct swizzle {
    struct ir_builder b;
    struct ir_value *x, *y;          /* where the program would stand */
    struct ir_value *width, *height; /* of the grid */
};

struct place {
    struct ir_value *x, *y;
};

static struct ir_value *constant(struct swizzle *s, int64_t value)
{
    return ir_constant_i64(&s->b, value);
}

static struct ir_value *make(struct swizzle *s, enum ir_opcode code, struct ir_value *a,
                             struct ir_value *b)
{
    return ir_binary(&s->b, code, a, b);
}

static struct ir_value *with(struct swizzle *s, enum ir_opcode code, struct ir_value *a, int64_t b)
{
    return make(s, code, a, constant(s, b));
}

/* In which order the program starts. */
static struct ir_value *number_of(struct swizzle *s)
{
    return make(s, IR_OP_ADD, make(s, IR_OP_MUL, s->y, s->width), s->x);
}

static struct place grouped(struct swizzle *s)
{
    struct ir_value *number = number_of(s), *in_group = with(s, IR_OP_MUL, s->height, ROWS);
    struct ir_value *first = make(s, IR_OP_DIV, number, in_group);
    first = with(s, IR_OP_MUL, first, ROWS);
    struct ir_value *rows = make(s, IR_OP_SUB, s->width, first); /* the last group has fewer */
    rows = with(s, IR_OP_MAXIMUM, with(s, IR_OP_MINIMUM, rows, ROWS), 1);
    struct ir_value *rest = make(s, IR_OP_REM, number, in_group);
    struct ir_value *x = make(s, IR_OP_ADD, first, make(s, IR_OP_REM, rest, rows));
    return (struct place){x, make(s, IR_OP_DIV, rest, rows)};
}

static struct place diagonal(struct swizzle *s)
{
    struct ir_value *x = make(s, IR_OP_ADD, s->x, s->y);
    return (struct place){make(s, IR_OP_REM, x, s->width), s->y};
}

/* Bit k of a number, as 0 or 1. */
static struct ir_value *bit(struct swizzle *s, struct ir_value *number, int k)
{
    struct ir_value *shifted = k > 0 ? with(s, IR_OP_SHR, number, k) : number;
    return with(s, IR_OP_AND, shifted, 1);
}

static struct place along_z(struct swizzle *s, struct ir_value *number)
{
    struct place place = {.x = bit(s, number, 0)};
    place.y = bit(s, number, 1);
    for (int k = 1; k < CURVE_BITS; k++) {
        struct ir_value *x = with(s, IR_OP_MUL, bit(s, number, 2 * k), 1 << k);
        struct ir_value *y = with(s, IR_OP_MUL, bit(s, number, 2 * k + 1), 1 << k);
        place.x = make(s, IR_OP_ADD, place.x, x);
        place.y = make(s, IR_OP_ADD, place.y, y);
    }
    return place;
}

static struct ir_value *choose(struct swizzle *s, struct ir_value *condition, struct ir_value *yes,
                               struct ir_value *no)
{
    return ir_ternary(&s->b, IR_OP_SELECT, condition, yes, no);
}

/* From the smallest square outwards: what is inside is mirrored and turned as its quarter asks. */
static struct place along_hilbert(struct swizzle *s, struct ir_value *number)
{
    struct place place = {.x = constant(s, 0)};
    place.y = constant(s, 0);
    for (int k = 0; k < CURVE_BITS; k++) {
        struct ir_value *across = bit(s, number, 2 * k + 1);
        struct ir_value *up = make(s, IR_OP_XOR, bit(s, number, 2 * k), across);
        struct ir_value *is_across = with(s, IR_OP_NE, across, 0);
        struct ir_value *is_up = with(s, IR_OP_NE, up, 0);
        int64_t most = (1 << k) - 1;
        struct ir_value *turned_x = make(s, IR_OP_SUB, constant(s, most), place.x);
        struct ir_value *turned_y = make(s, IR_OP_SUB, constant(s, most), place.y);
        struct ir_value *x = choose(s, is_across, turned_y, place.y);
        struct ir_value *y = choose(s, is_across, turned_x, place.x);
        x = choose(s, is_up, place.x, x);
        y = choose(s, is_up, place.y, y);
        place.x = make(s, IR_OP_ADD, x, with(s, IR_OP_MUL, across, 1 << k));
        place.y = make(s, IR_OP_ADD, y, with(s, IR_OP_MUL, up, 1 << k));
    }
    return place;
}

/* Programs behind the squares: first the strip to their right, then what is below both. */
static struct place outside_squares(struct swizzle *s, struct ir_value *number,
                                    struct ir_value *square_width, struct ir_value *square_height)
{
    struct ir_value *strip = make(s, IR_OP_SUB, s->width, square_width);
    struct ir_value *in_strip = make(s, IR_OP_MUL, strip, square_height);
    struct ir_value *below = make(s, IR_OP_SUB, number, in_strip);
    struct ir_value *is_right = make(s, IR_OP_LT, number, in_strip);
    struct ir_value *right_x = make(s, IR_OP_REM, number, strip);
    right_x = make(s, IR_OP_ADD, square_width, right_x);
    struct ir_value *right_y = make(s, IR_OP_DIV, number, strip);
    struct ir_value *rows = make(s, IR_OP_DIV, below, s->width);
    struct ir_value *x = make(s, IR_OP_REM, below, s->width);
    struct ir_value *y = make(s, IR_OP_ADD, square_height, rows);
    x = choose(s, is_right, right_x, x);
    return (struct place){x, choose(s, is_right, right_y, y)};
}

static struct place along_curve(struct swizzle *s,
                                struct place (*curve)(struct swizzle *s, struct ir_value *number))
{
    struct ir_value *number = number_of(s);
    struct ir_value *columns = with(s, IR_OP_DIV, s->width, SIDE);
    struct ir_value *square_width = with(s, IR_OP_MUL, columns, SIDE);
    struct ir_value *square_height = with(s, IR_OP_MUL, with(s, IR_OP_DIV, s->height, SIDE), SIDE);
    struct ir_value *in_squares = make(s, IR_OP_MUL, square_width, square_height);
    struct ir_value *square = with(s, IR_OP_DIV, number, SIDE * SIDE);
    struct place inside = curve(s, with(s, IR_OP_REM, number, SIDE * SIDE));
    struct ir_value *left = with(s, IR_OP_MUL, make(s, IR_OP_REM, square, columns), SIDE);
    struct ir_value *top = with(s, IR_OP_MUL, make(s, IR_OP_DIV, square, columns), SIDE);
    struct place outside =
        outside_squares(s, make(s, IR_OP_SUB, number, in_squares), square_width, square_height);
    struct ir_value *is_inside = make(s, IR_OP_LT, number, in_squares);
    struct ir_value *x = make(s, IR_OP_ADD, left, inside.x);
    x = choose(s, is_inside, x, outside.x);
    struct ir_value *y = make(s, IR_OP_ADD, top, inside.y);
    return (struct place){x, choose(s, is_inside, y, outside.y)};
}

static struct ir_value *position(struct swizzle *s, enum ir_opcode code, int axis)
{
    struct ir_attributes attributes = {.axis = axis};
    struct ir_type type = ir_scalar(IR_I64);
    return ir_build(&s->b, code, 0, NULL, 1, &type, 0, &attributes)->results[0];
}

struct renaming {
    struct place old, new;
    int asked; /* axes, one bit each */
};

static bool look(struct ir_op *op, void *user)
{
    struct renaming *r = user;
    if (op->code == IR_OP_PROGRAM_ID && op->attributes.axis < 2)
        r->asked |= 1 << op->attributes.axis;
    return true;
}

static bool rename(struct ir_op *op, void *user)
{
    struct renaming *r = user;
    if (op->code != IR_OP_PROGRAM_ID || op->attributes.axis > 1)
        return true;
    struct ir_value *value = op->results[0];
    if (value != r->old.x && value != r->old.y)
        ir_replace(value, op->attributes.axis ? r->new.y : r->new.x);
    return true;
}

bool gpu_swizzle_programs(struct ir_func *func, enum gpu_swizzle swizzle)
{
    struct renaming r = {0};
    struct swizzle s = {.b = {func, func->body, func->body->first, func->range}};
    ir_walk(func->body, look, &r);
    if (swizzle == GPU_SWIZZLE_LINEAR || r.asked != 3)
        return false;
    s.x = r.old.x = position(&s, IR_OP_PROGRAM_ID, 0);
    s.y = r.old.y = position(&s, IR_OP_PROGRAM_ID, 1);
    s.width = position(&s, IR_OP_NUM_PROGRAMS, 0);
    s.height = position(&s, IR_OP_NUM_PROGRAMS, 1);
    r.new = swizzle == GPU_SWIZZLE_GROUPED    ? grouped(&s)
            : swizzle == GPU_SWIZZLE_DIAGONAL ? diagonal(&s)
            : swizzle == GPU_SWIZZLE_MORTON   ? along_curve(&s, along_z)
                                              : along_curve(&s, along_hilbert);
    ir_walk(func->body, rename, &r);
    ir_apply_replacements(func);
    return true;
}
