#ifndef TILEC_CPU_ADDRESS_H
#define TILEC_CPU_ADDRESS_H
/* Where an access of one position is, and for which lanes; see address.c. */
#include "cpu/close.h"

enum cpu_address_kind { CPU_ADDRESS_SAME, CPU_ADDRESS_CONSECUTIVE, CPU_ADDRESS_VECTOR };

struct cpu_address {
    enum cpu_address_kind kind;
    LLVMValueRef pointer; /* of the first lane, or a vector of pointers */
    LLVMValueRef first;   /* of the first lane */
    int64_t step;         /* of a vector: from lane to lane, or 0: it varies */
    int64_t *offset;      /* of a vector, by lane from `first` on, or NULL: only known as it runs */
    bool is_close;
    struct cpu_close close; /* of such a vector */
    LLVMValueRef offsets;   /* where offsets from `first` lie, 64 bits for each lane, or NULL */
};

/* The type of one element. */
static inline struct ir_type cpu_element_type(struct ir_type type)
{
    type.rank = 0;
    return type;
}

/* The pointer, by so many elements of the type further on; NULL: none. */
LLVMValueRef cpu_step_pointer(struct cpu_emit *e, LLVMTypeRef unit, LLVMValueRef pointer,
                              LLVMValueRef index);
struct cpu_address cpu_linear_address(struct cpu_emit *e, struct ir_type type,
                                      const struct cpu_linear *linear,
                                      const struct cpu_position *p);
struct cpu_address cpu_pointer_address(struct cpu_emit *e, const struct ir_value *pointer,
                                       const struct cpu_position *p);
struct cpu_address cpu_view_address(struct cpu_emit *e, const struct ir_op *op,
                                    const struct cpu_position *p);

/* Lanes of both masks; a mask without a value holds everywhere. */
struct cpu_element cpu_both_lanes(struct cpu_emit *e, struct cpu_element a, struct cpu_element b);
/* Where an access of a view is inside of it. */
struct cpu_element cpu_view_mask(struct cpu_emit *e, const struct ir_op *op,
                                 const struct cpu_position *p);
/* Drops a mask that is known to hold, and adds the lanes that do not exist. */
struct cpu_element cpu_final_mask(struct cpu_emit *e, struct cpu_element mask,
                                  const struct cpu_position *p);

#endif
