#ifndef TILEC_RUN_HOST_TEXT_H
#define TILEC_RUN_HOST_TEXT_H
/* Host functions (grids, requirements, buffer sizes) as expressions, for what is built ahead of
 * time. */
#include "ir/ir.h"

/* Per result "cdiv(n, 1024)": ops by their names in docs/ops.md, with `prefix` in front, over the
 * kernel's scalars and integers, all in 64 bits, so that casts are left out. NULL for what has no
 * such form, or a very long one. In arena. */
const char **host_text_of(const struct ir_func *func, const char *prefix, struct arena *arena);

#endif
