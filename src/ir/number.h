#ifndef TILEC_IR_NUMBER_H
#define TILEC_IR_NUMBER_H
/* Elements as text: what stands in a constant's braces. Exact and independent of the locale. */
#include "ir/type.h"

/* "true", "-3", "0.5", "1e30", "inf", "nan"; a float that has no short decimal prints as its bits,
 * "0x7fc00001". */
void ir_element_print(uint64_t bits, enum ir_elem elem, struct text *out);
/* The same in the arena. */
const char *ir_element_text(uint64_t bits, enum ir_elem elem, struct arena *arena);

/* The inverse. Bits ("0x...") are allowed for every element. False when the text is no number of
 * the element, does not fit, or is a decimal that would be rounded more than once. */
bool ir_element_read(const char *text, size_t length, enum ir_elem elem, uint64_t *bits);

/* A decimal integer that fits in int64_t. */
bool ir_integer_read(const char *text, size_t length, int64_t *value);

#endif
