/* What to write instead of names that C, CUDA, Metal, ispc and Triton have: see foreign.h. */
#include "lang/foreign.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct entry {
    const char *name, *hint;
};

static const struct entry functions[] = {
#define FOREIGN(name, hint) {#name, hint},
#include "lang/foreign.def"
    {NULL, NULL},
};

static const struct entry values[] = {
#define FOREIGN_VALUE(name, hint) {#name, hint},
#include "lang/foreign.def"
    {NULL, NULL},
};

static const struct entry families[] = {
#define FOREIGN_FAMILY(name, hint) {#name, hint},
#include "lang/foreign.def"
    {NULL, NULL},
};

static const char *find(const struct entry *entry, const char *name, size_t length)
{
    for (; entry->name; entry++)
        if (strncmp(entry->name, name, length) == 0 && !entry->name[length])
            return entry->hint;
    return NULL;
}

/* C has its mathematics three times: tan, tanf, tanl. Without this tanf is near to tanh. */
static const char *find_base(const char *name, size_t length)
{
    bool of_type = length > 1 && (name[length - 1] == 'f' || name[length - 1] == 'l');
    return of_type ? find(functions, name, length - 1) : NULL;
}

static const char *find_family(const char *name)
{
    for (const struct entry *family = families; family->name; family++)
        if (strncmp(family->name, name, strlen(family->name)) == 0)
            return family->hint;
    return NULL;
}

const char *foreign_value_hint(const char *name)
{
    return find(values, name, strlen(name));
}

const char *foreign_hint(const char *name)
{
    size_t length = strlen(name);
    const char *hint = find(functions, name, length);
    if (!hint)
        hint = foreign_value_hint(name);
    if (!hint)
        hint = find_base(name, length);
    return hint ? hint : find_family(name);
}

/* What comes along with text that is copied from a page or a paper. */
static const struct {
    uint32_t character;
    const char *hint;
} characters[] = {
    {0x00d7, "write '*'"},  {0x22c5, "write '*'"},  {0x00f7, "write '/'"},  {0x2212, "write '-'"},
    {0x2010, "write '-'"},  {0x2011, "write '-'"},  {0x2013, "write '-'"},  {0x2014, "write '-'"},
    {0x2264, "write '<='"}, {0x2265, "write '>='"}, {0x2260, "write '!='"}, {0x2227, "write '&&'"},
    {0x2228, "write '||'"}, {0x00ac, "write '!'"},  {0x201c, "write '\"'"}, {0x201d, "write '\"'"},
    {0x201e, "write '\"'"}, {0x2018, "write '''"},  {0x2019, "write '''"},
};

/* Blanks that look like the one of ASCII, or like nothing. */
static bool is_blank(uint32_t character)
{
    return character == 0x00a0 || (character >= 0x2000 && character <= 0x200d) ||
           character == 0x202f || character == 0x3000 || character == 0xfeff;
}

const char *foreign_character_hint(uint32_t character)
{
    for (size_t i = 0; i < sizeof characters / sizeof *characters; i++) {
        if (characters[i].character == character)
            return characters[i].hint;
    }
    return is_blank(character) ? "it looks like a blank and is none: write one in its place"
                               : "outside of comments and texts everything is ASCII";
}
