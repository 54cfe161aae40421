#ifndef TILEC_CPU_MATRIX_PACK_H
#define TILEC_CPU_MATRIX_PACK_H
/*
 * What the files share that pack A and B:
 *
 *   units of a vector, converted                  matrix_units.c
 *   from strided memory to panels and rows        matrix_pack.c
 */
#include "cpu/matrix.h"

/* Of the functions, see matrix_pack.c. */
enum { PACK_FROM, PACK_OUTER, PACK_INNER, PACK_DEPTH, PACK_COUNT, PACK_TO, PACK_PARAMETERS };

struct pack {
    struct cpu_matrix *m;
    bool is_a;
    LLVMValueRef p[PACK_PARAMETERS];
    enum ir_elem from;
    LLVMValueRef steps, panel; /* bytes of a panel of B */
    int64_t element, packed;   /* bytes */
};

struct pack cpu_pack_of(struct cpu_matrix *m, bool is_a);
/* Elements as they stand in packed memory. */
LLVMValueRef cpu_pack_convert(struct pack *k, LLVMValueRef v);
/* Units of one outer index, along K. valid: elements, or NULL for all. */
LLVMValueRef cpu_pack_along(struct pack *k, LLVMValueRef place, LLVMValueRef valid);
/* One unit of `lanes` neighbours along the outer axis, from element k0 of K on. valid: neighbours, where K or
 * the outer axis may end within; NULL: all are there. */
LLVMValueRef cpu_pack_across(struct pack *k, LLVMValueRef place, LLVMValueRef k0,
                             LLVMValueRef valid);
void cpu_pack_store(struct pack *k, LLVMValueRef v, LLVMValueRef place);

#endif
