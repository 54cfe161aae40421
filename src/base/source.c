/* Places in source text; see source.h. */
#include "base/source.h"

#include <string.h>

struct source_position source_locate(const struct source_file *file, uint32_t offset)
{
    struct source_position position = {.line = 1};
    if (!file)
        return position;
    size_t at = offset > file->length ? file->length : offset;
    size_t start = 0;
    for (size_t i = 0; i < at; i++) {
        if (file->text[i] == '\n') {
            position.line++;
            start = i + 1;
        }
    }
    const char *end = memchr(file->text + start, '\n', file->length - start);
    position.column = (int)(at - start) + 1;
    position.line_text = file->text + start;
    position.line_length = end ? (size_t)(end - position.line_text) : file->length - start;
    if (position.line_length && position.line_text[position.line_length - 1] == '\r')
        position.line_length--;
    return position;
}

int source_line_of(struct source_line *known, const struct source_file *file, uint32_t offset)
{
    size_t at = offset > file->length ? file->length : offset;
    if (known->file != file)
        *known = (struct source_line){file, 0, 1};
    for (; known->offset < at; known->offset++)
        known->line += file->text[known->offset] == '\n';
    for (; known->offset > at; known->offset--)
        known->line -= file->text[known->offset - 1] == '\n';
    return known->line;
}

struct source_range source_join(struct source_range a, struct source_range b)
{
    if (!a.file)
        return b;
    if (a.file != b.file)
        return a;
    if (b.begin < a.begin)
        a.begin = b.begin;
    if (b.end > a.end)
        a.end = b.end;
    return a;
}
