#ifndef TILEC_LANG_FOREIGN_H
#define TILEC_LANG_FOREIGN_H
/* Names that people know from C, CUDA and Triton, and what stands for them here: foreign.def. */

/* A hint for a message about that name, or NULL; a constant. */
const char *foreign_hint(const char *name);

#endif
