/*
 * Python in a kernel file: who comes from Triton writes it out of habit, or pastes a file of it.
 * What begins like Python's statements is named for what it is, and nothing behind it is read,
 * because lines without braces and semicolons would only give follow-ups.
 *
 * Only what C refuses anyway is looked at, as `def` may be a variable's name; but for `elif` behind
 * what an `if` does, which could be a function that is called.
 */
#include "lang/parser.h"

static const char paste_hint[] =
    "a Triton kernel is written anew in C: docs/from-triton.md lists what stands for what";

static const char class_hint[] =
    "a parameter for each member: docs/c-subset.md, \"Arrays of structs\"";

static const struct {
    const char *word, *hint;
} beginnings[] = {
    {"def", "a kernel is 'kernel void NAME(parameters) { ... }', a helper is 'static float "
            "NAME(parameters) { ... }'"},
    {"import", paste_hint},
    {"from", paste_hint},
    {"elif", "write 'else if (condition)'"},
    {"assert", "tile_assert(condition, \"text\") checks"},
};

static bool refuse_of(struct parser *p, const char *language, const char *word, const char *hint)
{
    struct source_range range = parser_peek(p)->range;
    parser_hint(p, parser_fail(p, range, "'%s' is %s's, and kernel files are C", word, language),
                hint);
    p->fatal = p->failed;
    return true;
}

static bool refuse(struct parser *p, const char *word, const char *hint)
{
    return refuse_of(p, "Python", word, hint);
}

/* Where the line ends, comments and blanks aside, that begins at `at`. */
static const char *code_end(const char *at, const char *end)
{
    const char *last = at;
    for (; at < end && *at != '\n'; at++) {
        if (*at == '#' || (*at == '/' && at + 1 < end && at[1] == '/'))
            break;
        if (*at != ' ' && *at != '\t' && *at != '\r')
            last = at + 1;
    }
    return last;
}

/* Whether the token's line, comments aside, ends in ':'. */
static bool ends_in_colon(const struct token *token)
{
    const struct source_file *file = token->range.file;
    const char *begin = file ? file->text + token->range.begin : NULL;
    const char *end = file ? code_end(begin, file->text + file->length) : NULL;
    return end > begin && end[-1] == ':';
}

bool parser_refuse_python(struct parser *p)
{
    const struct token *token = parser_peek(p);
    if (token_is_name(token, "class"))
        return ends_in_colon(token) ? refuse(p, "class", paste_hint)
                                    : refuse_of(p, "C++", "class", class_hint);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (token_is_name(token, beginnings[i].word))
            return refuse(p, beginnings[i].word, beginnings[i].hint);
    return false;
}

bool parser_refuse_paste(struct parser *p)
{
    const struct token *token = parser_peek(p);
    bool decorates = token->kind == TOKEN_OTHER && token->text[0] == '@';
    bool documents = token->kind == TOKEN_TEXT && token->length == 2;
    return decorates || documents ? refuse(p, decorates ? "@" : "\"\"\"", paste_hint) : false;
}

/* The ':' there, in no brackets and of no '?': at the end, or in front of what is done; or NULL. */
static const char *find_colon(const char *at, const char *end)
{
    int depth = 0;
    for (; at < end && *at != '?'; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at == ':' && depth == 0)
            return at;
    }
    return NULL;
}

bool parser_refuse_colon(struct parser *p, const char *hint)
{
    const struct token *token = parser_peek(p);
    const struct source_file *file = token->range.file;
    if (!file || token->kind == TOKEN_END || token_is_sign(token, '(') || token_is_sign(token, '{'))
        return false;
    const char *begin = file->text + token->range.begin;
    const char *end = code_end(begin, file->text + file->length);
    const char *colon = find_colon(begin, end);
    if (!colon)
        return false;
    struct source_range range = token->range;
    range.begin = (uint32_t)(colon - file->text);
    range.end = range.begin + 1;
    parser_hint(p, parser_fail(p, range, "blocks stand in braces, not behind a ':'"), hint);
    p->fatal = p->failed;
    return true;
}

void parser_hint_comment(struct parser *p, struct diagnostic *diagnostic)
{
    const struct source_file *file = p->previous.file;
    const char *end = file ? file->text + file->length : NULL;
    const char *at = file ? file->text + p->previous.end : NULL;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at < 3 || at[0] != '/' || at[1] != '/')
        return;
    const char *last = code_end(at + 2, end);
    if (last > at + 2 && (last[-1] == ';' || last[-1] == ')' || last[-1] == ',' || last[-1] == '{'))
        parser_hint(p, diagnostic, "'//' begins a comment; '/' divides, and integers toward zero");
}
