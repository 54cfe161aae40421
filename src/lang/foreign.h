#ifndef TILEC_LANG_FOREIGN_H
#define TILEC_LANG_FOREIGN_H
#include <stdint.h>

/* Names that people know from C, CUDA and Triton, and what stands for them here: foreign.def. */

/* A hint for a message about a function of that name, or NULL; a constant. */
const char *foreign_hint(const char *name);
/* The same for what is not called: `length` may be a variable that is missing, not OpenCL's. */
const char *foreign_value_hint(const char *name);
/* The same for a character that is not ASCII, by its number in Unicode; never NULL. */
const char *foreign_character_hint(uint32_t character);

#endif
