#ifndef TILEC_LANG_LEXER_H
#define TILEC_LANG_LEXER_H
/*
 * Bytes -> tokens, one at a time. Any bytes are fine input: what is no token of C comes out as
 * TOKEN_OTHER, a byte or a character of UTF-8 each, and whoever meets it reports it.
 *
 * A backslash at the end of a line joins it with the next one, also within a token, whose text is a
 * copy then.
 */
#include "base/diagnostics.h"

enum token_kind {
    TOKEN_END,
    TOKEN_NAME,      /* identifiers and keywords */
    TOKEN_NUMBER,    /* whatever C calls a preprocessing number: 1, 0x2fu, 1e-3f, and junk as 1x */
    TOKEN_TEXT,      /* "text" with its quotes, and a u8, u, U or L in front */
    TOKEN_CHARACTER, /* 'c' with its quotes, and a prefix */
    TOKEN_SIGN,      /* punctuation; code tells which */
    TOKEN_OTHER,     /* a byte or character that starts no token */
};

/* A punctuator's code is its bytes: '(' or SIGN2('<', '=') or SIGN3('<', '<', '='). */
#define SIGN2(a, b) (((uint32_t)(b) << 8) | (uint32_t)(a))
#define SIGN3(a, b, c) (((uint32_t)(c) << 16) | SIGN2(a, b))

struct token {
    enum token_kind kind;
    bool line_start; /* first on its line */
    bool space_before;
    bool painted;  /* a macro's own name inside its expansion: stays as it is */
    bool expanded; /* came out of a macro's body; range is that of the use */
    uint32_t code; /* SIGN */
    uint32_t length;
    const char *text; /* not ended by NUL */
    struct source_range range;
};

struct lexer {
    const struct source_file *file;
    uint32_t at;
    bool line_start;
    struct arena *arena;             /* for the text of tokens that joined lines hold */
    bool broken;                     /* a comment or quote is not closed: what follows is noise */
    struct diagnostics *diagnostics; /* NULL: says nothing */
};

/* Files longer than this are refused before they get here; offsets are 32 bits. */
enum { LEXER_MAX_BYTES = 64 << 20 };

void lexer_init(struct lexer *lexer, const struct source_file *file, struct arena *arena,
                struct diagnostics *diagnostics);
struct token lexer_next(struct lexer *lexer);
/* What is left of the line as it is written, joined lines as one. */
const char *lexer_rest_of_line(struct lexer *lexer);

static inline bool token_is_sign(const struct token *token, uint32_t code)
{
    return token->kind == TOKEN_SIGN && token->code == code;
}
bool token_is_name(const struct token *token, const char *name);
/* The token's text, ended by NUL. */
char *token_copy(struct arena *arena, const struct token *token);

#endif
