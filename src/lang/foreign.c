#include "lang/foreign.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *hint;
} names[] = {
#define FOREIGN(name, hint) {#name, hint},
#include "lang/foreign.def"
#undef FOREIGN
};

const char *foreign_hint(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0)
            return names[i].hint;
    }
    return NULL;
}
