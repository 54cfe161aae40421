#ifndef TILEC_CPU_MATH_BUILD_H
#define TILEC_CPU_MATH_BUILD_H
/*
 * Short names over the LLVM builder, private to math*.c and convert.c. Each takes scalars and
 * vectors alike: constants are splat to the shape of the value that they stand beside ("like").
 */
#include "cpu/math.h"

enum { MB_MOST_LANES = 1024 }; /* of a vector: sizes the arrays that constants are made in */

typedef LLVMValueRef mb_value;

/* ---- types */
unsigned mb_lanes(mb_value v);                                /* 0: a scalar */
LLVMTypeRef mb_type_like(mb_value like, LLVMTypeRef element); /* element in like's shape */
unsigned mb_bits(mb_value v);                                 /* of one element */
LLVMTypeRef mb_int_type(struct cpu_math *m, mb_value like, unsigned bits);
LLVMTypeRef mb_float_type(struct cpu_math *m, mb_value like);
LLVMTypeRef mb_double_type(struct cpu_math *m, mb_value like);
bool mb_is_double(mb_value v);

/* ---- constants of like's type */
mb_value mb_const_float(mb_value like, double value);
mb_value mb_const_int(mb_value like, int64_t value);
mb_value mb_splat(LLVMTypeRef type, mb_value element);                      /* of a constant */
mb_value mb_broadcast(struct cpu_math *m, mb_value like, mb_value element); /* of any scalar */

/* ---- arithmetic */
mb_value mb_fadd(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_fsub(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_fmul(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_fdiv(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_fneg(struct cpu_math *m, mb_value a);
mb_value mb_fma(struct cpu_math *m, mb_value a, mb_value b,
                mb_value c); /* a * b + c, one rounding */
mb_value mb_add(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_sub(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_mul(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_and(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_or(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_xor(struct cpu_math *m, mb_value a, mb_value b);
mb_value mb_not(struct cpu_math *m, mb_value a);
mb_value mb_shl(struct cpu_math *m, mb_value a, int64_t count);
mb_value mb_lshr(struct cpu_math *m, mb_value a, int64_t count);

/* c[0] x^(n-1) + ... + c[n-1], by Horner with fma. */
mb_value mb_poly(struct cpu_math *m, mb_value x, const double *c, int n);

/* ---- choice */
mb_value mb_icmp(struct cpu_math *m, LLVMIntPredicate p, mb_value a, mb_value b);
mb_value mb_fcmp(struct cpu_math *m, LLVMRealPredicate p, mb_value a, mb_value b);
mb_value mb_isnan(struct cpu_math *m, mb_value a);
mb_value mb_select(struct cpu_math *m, mb_value c, mb_value a, mb_value b);
/* The lesser / greater of a and a constant; a NaN stays. One instruction. */
mb_value mb_at_most(struct cpu_math *m, mb_value a, double bound);
mb_value mb_at_least(struct cpu_math *m, mb_value a, double bound);

/* ---- bits */
mb_value mb_cast_bits(struct cpu_math *m, mb_value a, LLVMTypeRef type);
mb_value mb_as_int(struct cpu_math *m, mb_value a);   /* float or double to its bits */
mb_value mb_as_float(struct cpu_math *m, mb_value a); /* i32 bits to float, i64 to double */
mb_value mb_abs(struct cpu_math *m, mb_value a);      /* of a float */
mb_value mb_copysign(struct cpu_math *m, mb_value magnitude, mb_value sign);

/* A call of an LLVM intrinsic, overloaded on some types or not. */
mb_value mb_call(struct cpu_math *m, const char *name, LLVMTypeRef *overloads,
                 unsigned overload_count, mb_value *operands, unsigned count);
/* One overloaded on the type of its operands, such as "llvm.fabs". */
mb_value mb_intrinsic(struct cpu_math *m, const char *name, mb_value *operands, unsigned count);
/* "any element is true", a scalar i1. */
mb_value mb_any(struct cpu_math *m, mb_value condition);

/* ---- rare cases: a block that is entered only if a scalar condition holds. What is built between
 * begin and end is in it; mb_rare_phi gives `inside` after it was run, else `outside`. */
struct mb_rare {
    LLVMBasicBlockRef before;
    LLVMBasicBlockRef after;
    LLVMBasicBlockRef inside_end;
};

struct mb_rare mb_rare_begin(struct cpu_math *m, mb_value condition);
void mb_rare_end(struct cpu_math *m, struct mb_rare *rare);
mb_value mb_rare_phi(struct cpu_math *m, const struct mb_rare *rare, mb_value inside,
                     mb_value outside);

/* ---- pieces of vectors */
mb_value mb_slice(struct cpu_math *m, mb_value v, unsigned first, unsigned count);
mb_value mb_concat(struct cpu_math *m, mb_value *pieces, unsigned count); /* a power of two */
mb_value mb_lane(struct cpu_math *m, mb_value v, unsigned lane); /* v itself when it is a scalar */

/* Halves as floats where registers are computed in two halves (math_split.c). */
bool mb_is_split(const struct cpu_math *m, mb_value v);
mb_value mb_halves_split(struct cpu_math *m, mb_value v);

/* table[index mod 8], a float for each i32 of index (math_table.c). `name`: of the table in memory,
 * where the target has no register for it. */
enum { MB_TABLE = 8 };
mb_value mb_table(struct cpu_math *m, const char *name, const double *table, mb_value index);

/*
 * An AVX-512 intrinsic on float vectors of any length that is made of native ones. `name` has
 * ".512" and so on appended; `imm` >= 0 is passed before the pass-through operand. False when the
 * target or the length does not allow it.
 */
bool mb_avx512(struct cpu_math *m, const char *name, mb_value a, mb_value b_or_null, int imm,
               mb_value *result);

#endif
