/*
 * Units of A and B, a vector at a time, from memory as it lies: with conversion, along K and across it; see
 * matrix_pack.h.
 */
#include "cpu/matrix_pack.h"

struct pack cpu_pack_of(struct cpu_matrix *m, bool is_a)
{
    return (struct pack){.m = m,
                         .is_a = is_a,
                         .from = m->from[!is_a],
                         .element = cpu_matrix_element(m, !is_a),
                         .packed = (int64_t)ir_elem_bytes(m->packed)};
}

/* `count` consecutive elements; those from `valid` on (NULL: none) are 0 and not touched. */
static LLVMValueRef load_elements(struct pack *k, LLVMValueRef place, int count, LLVMValueRef valid)
{
    LLVMTypeRef type = cpu_vector(cpu_memory_type(k->m->e, ir_scalar(k->from)), count);
    LLVMValueRef mask = valid ? cpu_matrix_mask(k->m, valid, count) : NULL;
    return cpu_matrix_load(k->m, type, place, k->element, mask);
}

LLVMValueRef cpu_pack_convert(struct pack *k, LLVMValueRef v)
{
    struct cpu_emit *e = k->m->e;
    v = cpu_from_memory(e, ir_scalar(k->from), v);
    if (k->from != k->m->elem)
        v = cpu_convert(&e->math, v, k->from, k->m->elem);
    if (k->m->elem != k->m->packed)
        v = cpu_convert(&e->math, v, k->m->elem, k->m->packed);
    int moved = cpu_matrix_moves_b(k->m);
    if (!moved || k->is_a)
        return v;
    LLVMTypeRef type = LLVMTypeOf(v);
    int lanes = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(type) : 1;
    LLVMValueRef by = LLVMConstInt(e->i8, (unsigned long long)moved, false);
    return LLVMBuildAdd(e->builder, v, cpu_splat(e, by, lanes), "");
}

static LLVMValueRef as_units(struct pack *k, LLVMValueRef v)
{
    struct cpu_matrix *m = k->m;
    return LLVMBuildBitCast(m->e->builder, v, cpu_vector(m->unit_type, m->lanes), "");
}

LLVMValueRef cpu_pack_along(struct pack *k, LLVMValueRef place, LLVMValueRef valid)
{
    struct cpu_matrix *m = k->m;
    return as_units(k, cpu_pack_convert(k, load_elements(k, place, m->lanes * m->group, valid)));
}

/* v[0][0], v[1][0], ..., v[0][1], v[1][1], ... */
static LLVMValueRef interleave(struct cpu_matrix *m, LLVMValueRef *v, int count)
{
    struct cpu_emit *e = m->e;
    for (int width = m->lanes; count > 1; count /= 2, width *= 2) {
        LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)width * 2);
        for (int i = 0; i < width * 2; i++)
            places[i] = LLVMConstInt(e->i32, (unsigned long long)(i / 2 + i % 2 * width), false);
        LLVMValueRef mask = LLVMConstVector(places, (unsigned)width * 2);
        /* first neighbours that end up `count / 2` apart, so that the last round is in order */
        for (int i = 0; i < count / 2; i++)
            v[i] = LLVMBuildShuffleVector(e->builder, v[i], v[i + count / 2], mask, "");
    }
    return v[0];
}

/* v[to] = the elements of v[a] and v[b] (behind it) at `places`. */
static LLVMValueRef shuffle(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b, const int *places)
{
    struct cpu_emit *e = m->e;
    unsigned count = LLVMGetVectorSize(LLVMTypeOf(a));
    LLVMValueRef *mask = ARENA_ARRAY(e->arena, LLVMValueRef, count);
    for (unsigned i = 0; i < count; i++)
        mask[i] = LLVMConstInt(e->i32, (unsigned long long)places[i], false);
    return LLVMBuildShuffleVector(e->builder, a, b, LLVMConstVector(mask, count), "");
}

/* Elements of `width` bytes of a and b in turns: those of the lower (high: upper) half of each 16 bytes. */
static LLVMValueRef unpack(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b, int width,
                           bool high)
{
    enum { PIECE = 16, BYTES = 64 };
    int places[BYTES];
    for (int i = 0; i < BYTES; i++) {
        int piece = i / PIECE * PIECE, element = i % PIECE / width;
        int at = piece + high * (PIECE / 2) + element / 2 * width + i % width;
        places[i] = at + element % 2 * BYTES;
    }
    return shuffle(m, a, b, places);
}

/* Pieces of 16 bytes: piece `first` and each other one behind it, of a and then of b. */
static LLVMValueRef pieces(struct cpu_matrix *m, LLVMValueRef a, LLVMValueRef b, int first,
                           int step)
{
    enum { PIECE = 16, BYTES = 64 };
    int places[BYTES];
    for (int i = 0; i < BYTES; i++) {
        int piece = i / PIECE, of_b = piece / 2;
        places[i] = of_b * BYTES + (first + piece % 2 * step) * PIECE + i % PIECE;
    }
    return shuffle(m, a, b, places);
}

/*
 * Four rows of 64 bytes become 64 units of four: two rounds of unpacking give units, but in the order of
 * unpack's halves; then a 4 x 4 transposition of pieces. 16 shuffles, where vectors of 16 bytes take 44.
 */
static void interleave_rows(struct cpu_matrix *m, LLVMValueRef *v)
{
    LLVMValueRef pairs[4], units[4];
    for (int i = 0; i < 4; i++)
        pairs[i] = unpack(m, v[i / 2 * 2], v[i / 2 * 2 + 1], 1, i % 2);
    for (int i = 0; i < 4; i++)
        units[i] = unpack(m, pairs[i / 2], pairs[i / 2 + 2], 2, i % 2);
    for (int half = 0; half < 2; half++) {
        LLVMValueRef low = pieces(m, units[0], units[1], half * 2, 1);
        LLVMValueRef high = pieces(m, units[2], units[3], half * 2, 1);
        for (int i = 0; i < 2; i++)
            v[half * 2 + i] = pieces(m, low, high, i, 2);
    }
}

LLVMValueRef cpu_pack_across(struct pack *k, LLVMValueRef place, LLVMValueRef k0,
                             LLVMValueRef valid)
{
    struct cpu_matrix *m = k->m;
    struct cpu_emit *e = m->e;
    LLVMValueRef v[4];
    for (int i = 0; i < m->group; i++) {
        LLVMValueRef way = cpu_mul(e, k->p[PACK_INNER], cpu_i64(e, i)), some = valid;
        if (valid && m->group > 1) {
            LLVMValueRef at = LLVMBuildAdd(e->builder, k0, cpu_i64(e, i), "");
            LLVMValueRef inside = LLVMBuildICmp(e->builder, LLVMIntSLT, at, k->p[PACK_DEPTH], "");
            some = LLVMBuildSelect(e->builder, inside, valid, cpu_i64(e, 0), "");
        }
        LLVMValueRef at = i ? cpu_matrix_offset(m, place, way) : place;
        v[i] = load_elements(k, at, m->lanes, some);
    }
    return as_units(k, cpu_pack_convert(k, interleave(m, v, m->group)));
}

LLVMValueRef cpu_matrix_units(struct cpu_matrix *m, LLVMValueRef place, LLVMValueRef inner,
                              LLVMValueRef k0, LLVMValueRef depth, LLVMValueRef valid)
{
    struct pack k = cpu_pack_of(m, false);
    k.p[PACK_INNER] = inner;
    k.p[PACK_DEPTH] = depth;
    return cpu_pack_across(&k, place, k0, valid);
}

bool cpu_matrix_by_lines(const struct cpu_matrix *m)
{
    return m->group == 4 && tile_columns(m) * cpu_matrix_element(m, true) == 64;
}

void cpu_matrix_line_units(struct cpu_matrix *m, LLVMValueRef place, LLVMValueRef inner,
                           LLVMValueRef *units)
{
    struct cpu_emit *e = m->e;
    struct pack k = cpu_pack_of(m, false);
    for (int i = 0; i < m->group; i++) {
        LLVMValueRef row = cpu_matrix_offset(m, place, cpu_mul(e, inner, cpu_i64(e, i)));
        units[i] = load_elements(&k, row, (int)tile_columns(m), NULL);
    }
    interleave_rows(m, units);
    for (int v = 0; v < m->vectors; v++)
        units[v] = as_units(&k, cpu_pack_convert(&k, units[v]));
}

void cpu_pack_store(struct pack *k, LLVMValueRef v, LLVMValueRef place)
{
    cpu_set_align(LLVMBuildStore(k->m->e->builder, v, place), k->m->unit);
}
