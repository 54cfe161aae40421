#ifndef TILEC_CPU_SHIFTED_H
#define TILEC_CPU_SHIFTED_H
/* Stores past the caches of results that begin anywhere; see shifted.c. */
#include "cpu/emit.h"

enum { CPU_SHIFT_UNIT = 4 }; /* bytes that are shifted as one */

struct cpu_shift {              /* of one store, in one loop */
    int count;                  /* of 4 bytes in a vector */
    LLVMValueRef back;          /* bytes from a vector's place to where it is stored, not above 0 */
    LLVMValueRef from;          /* by 4 bytes of what is stored: their place in two vectors */
    LLVMValueRef head;          /* what of the first vector lies in front of all others */
    LLVMValueRef before, place; /* slots: the last vector, and where it lies */
    bool stored;
};

/* Whether vectors of so many elements, of so many bytes each, can be shifted at all. */
bool cpu_shift_fits(const struct cpu_emit *e, int element, int lanes);
/* Whether what begins at the pointer is shifted by a multiple of 4 bytes. */
LLVMValueRef cpu_shift_by_units(struct cpu_emit *e, int element, LLVMValueRef pointer);

/* Before a loop whose first vector, of so many bytes, lies at the pointer; in the loop, in the
 * place of each store, e->body.first_trip telling the first one; behind it. some: whether the loop
 * had a trip. */
void cpu_shift_begin(struct cpu_emit *e, struct cpu_shift *shift, int bytes, LLVMValueRef pointer);
void cpu_shift_store(struct cpu_emit *e, struct cpu_shift *shift, LLVMValueRef value,
                     LLVMValueRef pointer);
void cpu_shift_end(struct cpu_emit *e, const struct cpu_shift *shift, LLVMValueRef some);

#endif
