/*
 * Elements of a table by their index.
 *
 * Small tables stay in registers, and one instruction looks up as many elements as a vector has:
 *
 *     elements     AVX2                        AVX-512                     NEON
 *     4 bytes      permps, 8 of them           permps, vpermi2ps, 16, 32   tbl of bytes, 16
 *     2 bytes      as 4, then cut              as 4, then cut              tbl of bytes, 32
 *     1 byte       pshufb, 16                  pshufb, 16                  tbl, 64
 *
 * Of larger ones (MOST_PIECES registers and fewer) it looks into each piece by the low bits of the
 * index, and the high bits choose. All others lie in memory, in data that only this object sees,
 * and are gathered.
 *
 * What is outside reads 0. The comparison that finds it is gone where LLVM proves that there is
 * nothing outside, as for t[i & 15]; and an index is cut to what the instruction takes, so that
 * what it is computed from is computed in as few bits.
 */
#include "cpu/lookup.h"
#include "base/bits.h"
#include "cpu/math_build.h"

enum { MOST_PIECES = 4 };

/* How an instruction finds elements. */
struct unit {
    int bits;    /* of an element and of its index */
    int entries; /* that it chooses from */
    int lanes;   /* that it finds at once */
    bool pairs;  /* another one chooses from twice as many */
};

struct search {
    struct cpu_emit *e;
    const struct ir_table *table;
    struct unit unit;
    bool is_float;
};

/* ---- which instruction ----------------------------------------------------------------------- */

/* The instruction for a table of these elements and a vector of so many; false: there is none, or
 * memory is as fast. */
static bool find_unit(const struct cpu_features *f, const struct ir_table *table, int lanes,
                      struct unit *unit)
{
    int bits = table->elem == IR_BOOL ? 8 : ir_elems[table->elem].bits;
    int padded = (int)bits_power_from(table->count);
    if (bits == 64)
        return false;
    if (f->neon) {
        int most = 64 * 8 / bits;
        *unit = (struct unit){bits, padded < 128 / bits ? 128 / bits : padded, 128 / bits, false};
        return table->count <= most;
    }
    if (!f->avx2)
        return false;
    int width = f->avx512 && lanes * (bits == 8 ? 8 : 32) >= 512 ? 512
                : bits > 8 || lanes * 8 >= 256                   ? 256
                                                                 : 128;
    *unit = bits == 8 ? (struct unit){8, 16, width / 8, false}
                      : (struct unit){32, width / 32, width / 32, f->avx512};
    return padded <= MOST_PIECES * unit->entries * (unit->pairs ? 2 : 1);
}

int cpu_lookup_cost(const struct cpu_emit *e, const struct ir_op *op)
{
    enum { LANES = 8, GATHER = 16 };
    struct unit unit;
    const struct ir_table *table = op->attributes.table;
    if (!find_unit(&e->level->features, table, LANES, &unit))
        return GATHER;
    return 1 + 2 * ((int)bits_power_from(table->count) / unit.entries);
}

/* ---- in registers ---------------------------------------------------------------------------- */

/* Entries first to first + count - 1, over and over: as many bits as the unit has lanes of. */
static LLVMValueRef piece(const struct search *s, int first, int count, int lanes)
{
    struct cpu_emit *e = s->e;
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, (unsigned)s->unit.bits);
    LLVMValueRef *entries = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    for (int i = 0; i < lanes; i++) {
        int place = first + i % count;
        uint64_t bits = place < s->table->count ? s->table->bits[place] : 0;
        entries[i] = LLVMConstInt(integer, bits, false);
        if (s->is_float)
            entries[i] = LLVMConstBitCast(entries[i], LLVMFloatTypeInContext(e->context));
    }
    return LLVMConstVector(entries, (unsigned)lanes);
}

static LLVMValueRef by_neon(const struct search *s, LLVMValueRef index)
{
    struct cpu_emit *e = s->e;
    int bytes = s->unit.bits / 8, count = s->unit.entries * bytes / 16;
    /* 0x04040404 * index + 0x03020100: the places of an element's bytes */
    uint64_t every = 0, each = 0;
    for (int i = 0; i < bytes; i++) {
        every |= (uint64_t)bytes << 8 * i;
        each |= (uint64_t)i << 8 * i;
    }
    LLVMTypeRef vector = LLVMVectorType(e->i8, 16);
    index = mb_mul(&e->math, index, mb_const_int(index, (int64_t)every));
    index = mb_add(&e->math, index, mb_const_int(index, (int64_t)each));
    LLVMValueRef operands[5];
    for (int i = 0; i < count; i++) {
        LLVMValueRef part = piece(s, i * s->unit.lanes, s->unit.lanes, s->unit.lanes);
        operands[i] = LLVMBuildBitCast(e->builder, part, vector, "");
    }
    operands[count] = LLVMBuildBitCast(e->builder, index, vector, "");
    const char *name = arena_format(e->arena, "llvm.aarch64.neon.tbl%d", count);
    LLVMValueRef found = cpu_intrinsic(e, name, 1, &vector, count + 1, operands);
    return LLVMBuildBitCast(e->builder, found, LLVMTypeOf(index), "");
}

/* One of the unit's entries. */
static LLVMValueRef by_permutation(const struct search *s, int first, LLVMValueRef index)
{
    struct cpu_emit *e = s->e;
    const struct unit *unit = &s->unit;
    LLVMValueRef part = piece(s, first, unit->entries, unit->lanes);
    if (unit->bits == 8) {
        const char *name = unit->lanes == 64   ? "llvm.x86.avx512.pshuf.b.512"
                           : unit->lanes == 32 ? "llvm.x86.avx2.pshuf.b"
                                               : "llvm.x86.ssse3.pshuf.b.128";
        return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){part, index});
    }
    const char *name =
        s->is_float ? unit->lanes == 16 ? "llvm.x86.avx512.permvar.sf.512" : "llvm.x86.avx2.permps"
        : unit->lanes == 16 ? "llvm.x86.avx512.permvar.si.512"
                            : "llvm.x86.avx2.permd";
    return cpu_intrinsic(e, name, 0, NULL, 2, (LLVMValueRef[]){part, index});
}

static LLVMValueRef by_pair(const struct search *s, int first, LLVMValueRef index)
{
    const struct unit *unit = &s->unit;
    const char *name = arena_format(s->e->arena, "llvm.x86.avx512.vpermi2var.%s.%d",
                                    s->is_float ? "ps" : "d", unit->lanes * 32);
    LLVMValueRef operands[] = {piece(s, first, unit->entries, unit->lanes), index,
                               piece(s, first + unit->entries, unit->entries, unit->lanes)};
    return cpu_intrinsic(s->e, name, 0, NULL, 3, operands);
}

/* One of count entries from `first` on: the index's bit above decides between halves. */
static LLVMValueRef choose(const struct search *s, int first, int count, LLVMValueRef index)
{
    struct cpu_emit *e = s->e;
    if (count <= s->unit.entries)
        return by_permutation(s, first, index);
    if (count == 2 * s->unit.entries && s->unit.pairs)
        return by_pair(s, first, index);
    LLVMValueRef low = choose(s, first, count / 2, index);
    LLVMValueRef high = choose(s, first + count / 2, count / 2, index);
    /* The bit as a sign, which is what blends look at. */
    int up = s->unit.bits - 1 - __builtin_ctz((unsigned)count / 2);
    LLVMValueRef sign = mb_shl(&e->math, index, up);
    LLVMValueRef is_high =
        LLVMBuildICmp(e->builder, LLVMIntSLT, sign, LLVMConstNull(LLVMTypeOf(sign)), "");
    return LLVMBuildSelect(e->builder, is_high, high, low, "");
}

/* As many lanes as the unit has, those beyond v's being 0. */
static LLVMValueRef widened(struct cpu_emit *e, LLVMValueRef v, int lanes)
{
    int count = (int)LLVMGetVectorSize(LLVMTypeOf(v));
    LLVMValueRef *places = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)lanes);
    for (int i = 0; i < lanes; i++)
        places[i] = LLVMConstInt(e->i32, (unsigned long long)(i < count ? i : count), false);
    return LLVMBuildShuffleVector(e->builder, v, LLVMConstNull(LLVMTypeOf(v)),
                                  LLVMConstVector(places, (unsigned)lanes), "");
}

static LLVMValueRef find_in(const struct search *s, LLVMValueRef index)
{
    if (s->e->level->features.neon)
        return by_neon(s, index);
    return choose(s, 0, (int)bits_power_from(s->table->count), index);
}

/* Vector by vector. The index: integers of the unit's bits. */
static LLVMValueRef find_all(const struct search *s, LLVMValueRef index)
{
    struct cpu_emit *e = s->e;
    int lanes = (int)LLVMGetVectorSize(LLVMTypeOf(index)), native = s->unit.lanes;
    if (lanes < native)
        return mb_slice(&e->math, find_in(s, widened(e, index, native)), 0, (unsigned)lanes);
    int count = lanes / native;
    LLVMValueRef *pieces = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)count);
    for (int i = 0; i < count; i++) {
        unsigned first = (unsigned)(i * native);
        pieces[i] = find_in(s, mb_slice(&e->math, index, first, (unsigned)native));
    }
    return mb_concat(&e->math, pieces, (unsigned)count);
}

/* The index in as many bits, of which the low ones count. */
static LLVMValueRef resized(struct cpu_emit *e, LLVMValueRef index, int bits)
{
    LLVMTypeRef type = mb_int_type(&e->math, index, (unsigned)bits);
    return (int)mb_bits(index) > bits   ? LLVMBuildTrunc(e->builder, index, type, "")
           : (int)mb_bits(index) < bits ? LLVMBuildZExt(e->builder, index, type, "")
                                        : index;
}

static LLVMValueRef in_registers(struct cpu_emit *e, const struct ir_table *table,
                                 const struct unit *unit, LLVMValueRef index)
{
    struct search s = {e, table, *unit, table->elem == IR_F32 && !e->level->features.neon};
    LLVMValueRef found = find_all(&s, resized(e, index, unit->bits));
    LLVMTypeRef memory = mb_type_like(index, cpu_memory_type(e, ir_scalar(table->elem)));
    if ((int)ir_elems[table->elem].bits < unit->bits)
        found = LLVMBuildTrunc(e->builder, found, mb_int_type(&e->math, index, 16), "");
    found = LLVMBuildBitCast(e->builder, found, memory, "");
    return cpu_from_memory(e, ir_scalar(table->elem), found);
}

/* ---- in memory ------------------------------------------------------------------------------- */

static bool is_same_data(LLVMValueRef global, LLVMValueRef data)
{
    return LLVMIsGlobalConstant(global) && LLVMGetInitializer(global) == data;
}

/* Private to the module; equal tables are one. LLVM's constants are unique. */
static LLVMValueRef global_of(struct cpu_emit *e, const struct ir_table *table)
{
    LLVMTypeRef type = cpu_memory_type(e, ir_scalar(table->elem));
    LLVMTypeRef integer = LLVMIntTypeInContext(e->context, ir_elems[table->elem].bits);
    LLVMValueRef *entries = ARENA_ARRAY(e->arena, LLVMValueRef, (size_t)table->count);
    for (int i = 0; i < table->count; i++)
        entries[i] = LLVMConstBitCast(LLVMConstInt(integer, table->bits[i], false), type);
    LLVMValueRef data = LLVMConstArray2(type, entries, (uint64_t)table->count);
    for (LLVMValueRef g = LLVMGetFirstGlobal(e->module); g; g = LLVMGetNextGlobal(g)) {
        if (is_same_data(g, data))
            return g;
    }
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(data), "table");
    LLVMSetInitializer(global, data);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    return global;
}

/* The index is within the table. */
static LLVMValueRef in_memory(struct cpu_emit *e, const struct ir_table *table, LLVMValueRef index)
{
    struct ir_type type = ir_scalar(table->elem);
    LLVMTypeRef unit = cpu_memory_type(e, type);
    LLVMValueRef global = global_of(e, table);
    /* An int that is extended by its sign is what gathers take; there is no sign. */
    index = resized(e, index, 32);
    index = LLVMBuildSExt(e->builder, index, mb_int_type(&e->math, index, 64), "");
    LLVMValueRef place = LLVMBuildGEP2(e->builder, unit, global, &index, 1, "");
    if (mb_lanes(index))
        return cpu_gather(e, type, place, NULL, NULL);
    LLVMValueRef load = LLVMBuildLoad2(e->builder, unit, place, "");
    cpu_set_align(load, cpu_memory_bytes(type));
    return cpu_from_memory(e, type, load);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Which elements are within the table; NULL: all, whatever the index is. */
static LLVMValueRef inside(struct cpu_emit *e, const struct ir_table *table, enum ir_elem elem,
                           LLVMValueRef index)
{
    int bits = ir_elems[elem].bits - (ir_is_signed(elem) ? 1 : 0);
    bool all = bits < 32 && INT64_C(1) << bits <= table->count;
    if (all && !ir_is_signed(elem))
        return NULL;
    int64_t size = all ? INT64_C(1) << bits : table->count;
    return mb_icmp(&e->math, LLVMIntULT, index, mb_const_int(index, size));
}

LLVMValueRef cpu_lookup(struct cpu_emit *e, const struct ir_op *op, LLVMValueRef index)
{
    const struct ir_table *table = op->attributes.table;
    enum ir_elem elem = (enum ir_elem)op->operands[0]->type.elem;
    LLVMValueRef fits = inside(e, table, elem, index), found;
    struct unit unit;
    int lanes = (int)mb_lanes(index);
    bool even = lanes > 1 && bits_is_power(lanes);
    if (even && find_unit(&e->level->features, table, lanes, &unit)) {
        found = in_registers(e, table, &unit, index);
    } else {
        LLVMValueRef first = LLVMConstNull(LLVMTypeOf(index));
        if (fits)
            index = LLVMBuildSelect(e->builder, fits, index, first, "");
        found = in_memory(e, table, index);
    }
    if (!fits)
        return found;
    return LLVMBuildSelect(e->builder, fits, found, LLVMConstNull(LLVMTypeOf(found)), "");
}
