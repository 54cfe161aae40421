#ifndef TILEC_IR_TOKENS_H
#define TILEC_IR_TOKENS_H
/* Tokens of the text form of Tile IR. */
#include "base/source.h"

#include <stdbool.h>

enum ir_token_kind {
    IR_TOKEN_END,
    IR_TOKEN_WORD,   /* for, f32, inf */
    IR_TOKEN_VALUE,  /* %name.1; the text is what follows the % */
    IR_TOKEN_SYMBOL, /* @name.grid; the text is what follows the @ */
    IR_TOKEN_NUMBER, /* -3, 0.5, 1e-7, 0x7fc0, -inf */
    IR_TOKEN_STRING, /* "..."; the text is what stands between the quotes, escapes and all */
    IR_TOKEN_ARROW,  /* -> */
    IR_TOKEN_MARK,   /* one of ( ) { } [ ] < > , : = @ */
    IR_TOKEN_BAD,    /* anything else */
};

struct ir_token {
    enum ir_token_kind kind;
    uint32_t begin, end; /* bytes of the file */
    const char *text;
    size_t length;
};

/* The token at or behind offset; blanks and // comments are skipped. */
struct ir_token ir_token_next(const struct source_file *file, uint32_t offset);

bool ir_token_is(const struct ir_token *token, const char *text); /* a word or a mark */

#endif
