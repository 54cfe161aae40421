/*
 * Where a '}' is missing; see parser.h.
 *
 * The parser finds out at the end of the file or at the next function, far behind the place. Which
 * '{' is meant, indentation tells: people indent what they mean.
 */
#include "lang/parser_statement.h"

#include <string.h>

/* Where the first word of this place's line stands, and how far in; a tab counts as one. */
static uint32_t first_word(struct source_range at, uint32_t *column)
{
    uint32_t line = at.begin;
    while (line > 0 && at.file->text[line - 1] != '\n')
        line--;
    *column = 0;
    while (at.file->text[line + *column] == ' ' || at.file->text[line + *column] == '\t')
        ++*column;
    return line + *column;
}

static uint32_t indentation(struct source_range at)
{
    uint32_t column;
    first_word(at, &column);
    return column;
}

static bool begins_with_if(struct source_range at)
{
    uint32_t column, word = first_word(at, &column);
    return at.begin - word > 2 && memcmp(at.file->text + word, "if", 2) == 0;
}

/* Keeps the first block that ends where the line of its '{' is not indented to: if a '}' is
 * missing, it is that one's. */
void parser_note_askew(struct parser *p, struct source_range open)
{
    const struct token *close = parser_peek(p);
    if (!p->askew.file && open.file && close->range.file == open.file && close->line_start &&
        indentation(close->range) != indentation(open))
        p->askew = open;
}

/* The '{' that has no '}', as it seems. */
void parser_note_open(struct parser *p, struct source_range open)
{
    diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, p->askew.file ? p->askew : open,
                    "to match this '{'");
}

/* The next function begins within this one: its '}' is missing. Said once per function. */
void parser_report_cut(struct parser *p, struct source_range open)
{
    struct source_range range = p->previous;
    range.begin = range.end;
    if (!p->cut) {
        parser_report(p, range, "expected '}' before the next function");
        p->lost = true;
        parser_note_open(p, open);
    }
    p->cut = true;
}

/* An 'else' under the 'if' whose block it stands in: the block's '}' is missing, and is taken as
 * read. */
bool parser_cut_by_else(struct parser *p, struct source_range open)
{
    struct source_range at = parser_peek(p)->range;
    if (!at.file || at.file != open.file || !parser_peek(p)->line_start ||
        indentation(at) != indentation(open) || !begins_with_if(open))
        return false;
    struct source_range range = p->previous;
    range.begin = range.end;
    parser_report(p, range, "expected '}' in front of 'else'");
    diagnostics_add(p->diagnostics, DIAGNOSTIC_NOTE, open, "to match this '{'");
    p->damaged = true;
    p->braces--;
    return true;
}
