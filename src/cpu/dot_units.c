/*
 * Products of tiles by instructions that multiply several neighbours of K in a lane and add them
 * up.
 *
 *     a: bf16[M, K] as it lies          row i: (k0 k1) (k2 k3) ..          one unit in all lanes
 *     b: bf16[K, N] -> i32[K / 2, N]    row k: (b[2k, 0] b[2k + 1, 0]) (b[2k, 1] ..) ..
 *
 * An instruction takes twice or four times the products of a float FMA, and operands are as much
 * smaller. b is packed before each dot: rows are interleaved; if b is trans(x), its units are
 * neighbours in x, and are turned in squares as in turn.c. That takes a twentieth of the time of a
 * dot of 64 rows.
 *
 * Sums of bfloat lose subnormals (docs/language.md allows it); those of int8 are exact. vpdpbusd
 * takes its first bytes as unsigned: they get 128 added, and each column's sums are too large then
 * by 128 times the sum of b's column, which is taken off where sums start.
 */
#include "cpu/dot_units.h"
#include "cpu/dot.h"

enum { LEAST_LANES = 4, MOST_LANES = 16 };

/* By enum cpu_unit. */
static const struct {
    enum ir_elem elem;
    int size; /* elements in 32 bits */
} units[] = {
    [CPU_UNIT_BFLOAT] = {IR_BF16, 2},
    [CPU_UNIT_WORDS] = {IR_I16, 2},
    [CPU_UNIT_BYTES] = {IR_I8, 4},
};

enum ir_elem cpu_unit_elem(enum cpu_unit unit)
{
    return units[unit].elem;
}

int cpu_unit_size(enum cpu_unit unit)
{
    return units[unit].size;
}

/* ---- whether --------------------------------------------------------------------------------- */

/* The side of the squares that rows x columns are cut into without a rest; 0: there is none. */
static int square_side(int vector_bits, int64_t rows, int64_t columns)
{
    int side = vector_bits / 32 < MOST_LANES ? vector_bits / 32 : MOST_LANES;
    while (side >= LEAST_LANES && (rows % side || columns % side))
        side /= 2;
    return side >= LEAST_LANES ? side : 0;
}

static bool divides(const struct cpu_level *level, const struct ir_op *dot, enum cpu_unit unit)
{
    const struct ir_value *b = dot->operands[1];
    int64_t K = b->type.dims[0], N = b->type.dims[1];
    int size = units[unit].size;
    return K % size == 0 && N >= LEAST_LANES &&
           (!cpu_dot_turns(dot, 1) || square_side(level->vector_bits, K / size, N));
}

enum cpu_unit cpu_unit_of(const struct cpu_level *level, const struct ir_op *dot)
{
    const struct cpu_features *f = &level->features;
    enum ir_elem elem = (enum ir_elem)dot->operands[0]->type.elem;
    if (elem == IR_BF16 && level->bf16_dots && divides(level, dot, CPU_UNIT_BFLOAT))
        return CPU_UNIT_BFLOAT;
    if (elem == IR_I8 && f->avx512_vnni && divides(level, dot, CPU_UNIT_BYTES))
        return CPU_UNIT_BYTES;
    /* int8 that was widened (widen.c) comes as 16 bits */
    if ((elem == IR_I8 || elem == IR_I16) && f->avx2 && divides(level, dot, CPU_UNIT_WORDS))
        return CPU_UNIT_WORDS;
    return CPU_UNIT_ONE;
}

/* ---- packing --------------------------------------------------------------------------------- */

static LLVMValueRef place_in(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef row,
                             LLVMValueRef column)
{
    LLVMValueRef start = cpu_mul(e, row, cpu_i64(e, buffer->type.dims[1]));
    return cpu_add(e, start, column);
}

static LLVMValueRef load_row(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef row,
                             LLVMValueRef column, int lanes)
{
    LLVMTypeRef type =
        cpu_vector(cpu_memory_type(e, ir_scalar((enum ir_elem)buffer->type.elem)), lanes);
    LLVMValueRef place = cpu_buffer_pointer(e, buffer, place_in(e, buffer, row, column));
    LLVMValueRef load = LLVMBuildLoad2(e->builder, type, place, "");
    cpu_set_align(load, cpu_memory_bytes(buffer->type));
    return load;
}

static void store_row(struct cpu_emit *e, const struct cpu_buffer *buffer, LLVMValueRef row,
                      LLVMValueRef column, LLVMValueRef v)
{
    LLVMValueRef place = cpu_buffer_target(e, buffer, place_in(e, buffer, row, column));
    LLVMValueRef store = LLVMBuildStore(e->builder, v, place);
    cpu_set_align(store, cpu_memory_bytes(buffer->type));
}

static LLVMValueRef splat_i32(struct cpu_emit *e, unsigned value, int lanes)
{
    return cpu_splat(e, LLVMConstInt(e->i32, value, false), lanes);
}

/* Lane i of the result is the unit of lane i of so many rows from `row` on. */
static LLVMValueRef interleaved(struct cpu_emit *e, const struct cpu_buffer *from, LLVMValueRef row,
                                LLVMValueRef column, int size, int lanes)
{
    LLVMTypeRef narrow = cpu_vector(LLVMIntTypeInContext(e->context, 32u / (unsigned)size), lanes);
    LLVMValueRef all = NULL;
    for (int i = 0; i < size; i++) {
        LLVMValueRef v = load_row(e, from, cpu_add(e, row, cpu_i64(e, i)), column, lanes);
        v = LLVMBuildBitCast(e->builder, v, narrow, "");
        v = LLVMBuildZExt(e->builder, v, cpu_vector(e->i32, lanes), "");
        v = LLVMBuildShl(e->builder, v, splat_i32(e, 32u / (unsigned)size * (unsigned)i, lanes),
                         "");
        all = all ? LLVMBuildOr(e->builder, all, v, "") : v;
    }
    return all;
}

/* Columns first..last of all rows, so many at once. */
static void interleave_rows(struct cpu_emit *e, const struct cpu_buffer *from,
                            const struct cpu_buffer *to, int64_t first, int64_t last, int lanes)
{
    struct cpu_loop rows, along;
    int size = from->type.dims[0] / to->type.dims[0];
    if (first == last)
        return;
    cpu_loop_begin(e, &rows, cpu_i64(e, 0), cpu_i64(e, to->type.dims[0]), 1);
    LLVMValueRef start = cpu_mul(e, rows.index, cpu_i64(e, size));
    cpu_loop_begin(e, &along, cpu_i64(e, first), cpu_i64(e, last), lanes);
    LLVMValueRef v = interleaved(e, from, start, along.index, size, lanes);
    store_row(e, to, rows.index, along.index, v);
    cpu_loop_end(e, &along);
    cpu_loop_end(e, &rows);
}

/* from: rows of units that become columns. */
static void turn_squares(struct cpu_emit *e, const struct cpu_buffer *from,
                         const struct cpu_buffer *to)
{
    int64_t rows = to->type.dims[0], columns = to->type.dims[1];
    int side = square_side(e->level->vector_bits, rows, columns);
    struct cpu_loop down, along;
    cpu_loop_begin(e, &along, cpu_i64(e, 0), cpu_i64(e, columns), side);
    cpu_loop_begin(e, &down, cpu_i64(e, 0), cpu_i64(e, rows), side);
    LLVMValueRef v[MOST_LANES];
    for (int r = 0; r < side; r++)
        v[r] = load_row(e, from, cpu_add(e, along.index, cpu_i64(e, r)), down.index, side);
    cpu_transpose(e, v, side);
    for (int r = 0; r < side; r++)
        store_row(e, to, cpu_add(e, down.index, cpu_i64(e, r)), along.index, v[r]);
    cpu_loop_end(e, &down);
    cpu_loop_end(e, &along);
}

/* The same memory as units along its rows. */
static struct cpu_buffer *as_units(struct cpu_emit *e, const struct cpu_buffer *from, int size)
{
    struct cpu_buffer *to = ARENA_NEW(e->arena, struct cpu_buffer);
    *to = *from;
    to->type.elem = IR_I32;
    to->type.dims[1] /= size;
    return to;
}

struct cpu_buffer *cpu_unit_second(struct cpu_emit *e, enum cpu_unit unit,
                                   const struct cpu_buffer *from, bool turned)
{
    struct ir_type type = ir_with_elem(from->type, IR_I32);
    int columns = from->type.dims[!turned];
    type.dims[0] = from->type.dims[turned] / units[unit].size;
    type.dims[1] = columns;
    struct cpu_buffer *to = cpu_buffer_new(e, type);
    if (turned) {
        turn_squares(e, as_units(e, from, units[unit].size), to);
        return to;
    }
    int lanes = cpu_dot_lanes(e, IR_I32, columns);
    int64_t whole = columns - columns % lanes;
    interleave_rows(e, from, to, 0, whole, lanes);
    interleave_rows(e, from, to, whole, columns, 1);
    return to;
}

/* A copy with 128 added to each byte, as the sign bit turned does. What lies behind the end of the
 * last vector is padding. */
static struct cpu_buffer *add_128(struct cpu_emit *e, const struct cpu_buffer *from)
{
    struct cpu_buffer *to = cpu_buffer_new(e, from->type);
    struct cpu_loop loop;
    int lanes = e->level->vector_bits / 32;
    LLVMTypeRef type = cpu_vector(e->i32, lanes);
    cpu_loop_begin(e, &loop, cpu_i64(e, 0), cpu_i64(e, ir_element_count(from->type)), lanes);
    LLVMValueRef v = LLVMBuildLoad2(e->builder, type, cpu_buffer_pointer(e, from, loop.index), "");
    cpu_set_align(v, 4);
    v = LLVMBuildXor(e->builder, v, splat_i32(e, 0x80808080u, lanes), "");
    cpu_set_align(LLVMBuildStore(e->builder, v, cpu_buffer_target(e, to, loop.index)), 4);
    cpu_loop_end(e, &loop);
    return to;
}

struct cpu_buffer *cpu_unit_first(struct cpu_emit *e, enum cpu_unit unit,
                                  const struct cpu_buffer *from, bool turned)
{
    struct cpu_buffer *to =
        turned ? cpu_unit_second(e, unit, from, false) : as_units(e, from, units[unit].size);
    return unit == CPU_UNIT_BYTES ? add_128(e, to) : to;
}

struct cpu_buffer *cpu_unit_excess(struct cpu_emit *e, enum cpu_unit unit,
                                   const struct cpu_buffer *second)
{
    if (unit != CPU_UNIT_BYTES)
        return NULL;
    struct ir_type type = second->type;
    int64_t rows = type.dims[0], columns = type.dims[1];
    int lanes = cpu_dot_lanes(e, IR_I32, columns);
    type.dims[0] = 1;
    struct cpu_buffer *excess = cpu_buffer_new(e, type);
    struct cpu_loop along, down;
    LLVMTypeRef vector = cpu_vector(e->i32, lanes);
    LLVMValueRef slot = cpu_alloca(e, vector, "excess");
    LLVMValueRef added = splat_i32(e, 0x80808080u, lanes);
    cpu_loop_begin(e, &along, cpu_i64(e, 0), cpu_i64(e, columns), lanes);
    LLVMBuildStore(e->builder, LLVMConstNull(vector), slot);
    cpu_loop_begin(e, &down, cpu_i64(e, 0), cpu_i64(e, rows), 1);
    LLVMValueRef b = load_row(e, second, down.index, along.index, lanes);
    LLVMValueRef sum = LLVMBuildLoad2(e->builder, vector, slot, "");
    LLVMBuildStore(e->builder, cpu_unit_multiply(e, unit, added, b, sum), slot);
    cpu_loop_end(e, &down);
    sum = LLVMBuildLoad2(e->builder, vector, slot, "");
    store_row(e, excess, cpu_i64(e, 0), along.index, sum);
    cpu_loop_end(e, &along);
    return excess;
}

/* ---- multiplying ----------------------------------------------------------------------------- */

/* By enum cpu_unit, and for vectors of 4, 8 and 16 lanes. */
static const char *const names[][3] = {
    [CPU_UNIT_BFLOAT] = {"llvm.x86.avx512bf16.dpbf16ps.128", "llvm.x86.avx512bf16.dpbf16ps.256",
                         "llvm.x86.avx512bf16.dpbf16ps.512"},
    [CPU_UNIT_WORDS] = {"llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                        "llvm.x86.avx512.pmaddw.d.512"},
    [CPU_UNIT_BYTES] = {"llvm.x86.avx512.vpdpbusd.128", "llvm.x86.avx512.vpdpbusd.256",
                        "llvm.x86.avx512.vpdpbusd.512"},
};

LLVMValueRef cpu_unit_multiply(struct cpu_emit *e, enum cpu_unit unit, LLVMValueRef a,
                               LLVMValueRef b, LLVMValueRef sum)
{
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(a));
    const char *name = names[unit][lanes == 16 ? 2 : lanes == 8];
    LLVMValueRef operands[] = {sum, a, b};
    if (unit == CPU_UNIT_BYTES)
        return cpu_intrinsic(e, name, 0, NULL, 3, operands);
    LLVMTypeRef elem = unit == CPU_UNIT_BFLOAT ? LLVMBFloatTypeInContext(e->context)
                                               : LLVMInt16TypeInContext(e->context);
    for (int i = 1; i < 3; i++)
        operands[i] =
            LLVMBuildBitCast(e->builder, operands[i], LLVMVectorType(elem, lanes * 2), "");
    if (unit == CPU_UNIT_BFLOAT)
        return cpu_intrinsic(e, name, 0, NULL, 3, operands);
    LLVMValueRef products = cpu_intrinsic(e, name, 0, NULL, 2, operands + 1);
    return LLVMBuildAdd(e->builder, products, sum, "");
}
