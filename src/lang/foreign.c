#include "lang/foreign.h"

#include <stdbool.h>
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
