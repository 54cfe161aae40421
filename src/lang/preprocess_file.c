/*
 * Entering a file: whether it is text, and which -D set parameters of its kernels. Those are values
 * for lowering, and must stay names in the text.
 */
#include "lang/preprocess_internal.h"

static void mark_parameter(struct preprocessor *pp, const struct token *name)
{
    struct macro *macro = macro_find(pp, name);
    if (macro && macro->is_define)
        macro->is_parameter = true;
}

/* `int N` or `const float *X` up to a comma or the end: the name behind at least one other token. A
 * lone name is a macro for a whole parameter. What stands behind '=', ':' or '[' cannot be there,
 * and will be said. Gives the token behind. */
static struct token find_kernel_parameters(struct preprocessor *pp, struct lexer *lexer)
{
    struct token t = lexer_next(lexer), last = {0};
    for (int count = 0; t.kind != TOKEN_END; t = lexer_next(lexer)) {
        bool ends = token_is_sign(&t, ')');
        if (ends || token_is_sign(&t, ',')) {
            if (last.kind && count > 1)
                mark_parameter(pp, &last);
            if (ends)
                break;
            count = -1;
        } else if (token_is_sign(&t, '=') || token_is_sign(&t, ':') || token_is_sign(&t, '[')) {
            bool typed = token_is_sign(&t, ':'); /* Triton's `BLOCK: tl.constexpr` */
            if (last.kind && count > (typed ? 0 : 1))
                mark_parameter(pp, &last);
        } else if (token_is_sign(&t, ';') || token_is_sign(&t, '{')) {
            break; /* not a list of parameters after all */
        }
        last = t.kind == TOKEN_NAME ? t : (struct token){0};
        count++;
    }
    return t;
}

/* Marks the -D names that a file declares as parameters: `constexpr int BLOCK,`, and those of
 * `kernel void NAME(...)`. They are values for lowering, and must stay names in the text. A look
 * ahead over the raw tokens. */
static void find_parameters(struct preprocessor *pp, const struct source_file *file)
{
    struct lexer lexer;
    lexer_init(&lexer, file, pp->arena, NULL);
    struct token last = {0};
    bool within = false;
    int heading = 0; /* tokens since `kernel` */
    for (struct token t = lexer_next(&lexer); t.kind != TOKEN_END; t = lexer_next(&lexer)) {
        if (heading == 3 && token_is_sign(&t, '('))
            t = find_kernel_parameters(pp, &lexer);
        heading = token_is_name(&t, "kernel")           ? 1
                  : heading > 0 && t.kind == TOKEN_NAME ? heading + 1
                                                        : 0;
        if (token_is_name(&t, "constexpr")) {
            within = true;
            last = (struct token){0};
        } else if (within && t.kind == TOKEN_NAME) {
            last = t;
        } else if (within && last.kind && (token_is_sign(&t, ',') || token_is_sign(&t, ')'))) {
            mark_parameter(pp, &last);
            within = false;
        } else {
            within = false;
        }
    }
}

/* Whether a file is text. Control characters tell that it is not; then one message is enough. */
static bool check_text(struct preprocessor *pp, const struct source_file *file)
{
    if (file->length > LEXER_MAX_BYTES) {
        preprocess_fail(pp, (struct source_range){NULL, 0, 0}, "'%.200s' is too large: %zu bytes",
                        file->name, file->length);
        return false;
    }
    for (size_t i = 0; i < file->length; i++) {
        unsigned char c = (unsigned char)file->text[i];
        if (c == '\r' && (i + 1 == file->length || file->text[i + 1] != '\n')) {
            struct diagnostic *d = preprocess_fail(
                pp, (struct source_range){NULL, 0, 0},
                "'%.200s' holds a carriage return without a line feed at offset %zu", file->name,
                i);
            diagnostics_hint(pp->diagnostics, d, "lines end with LF or CR LF");
            return false;
        }
        if ((c >= ' ' && c != 127) || (c >= '\t' && c <= '\r'))
            continue;
        /* Without a place: the line would not be worth seeing. */
        preprocess_fail(pp, (struct source_range){NULL, 0, 0},
                        "'%.200s' is not a text file: it holds a byte 0x%02x at offset %zu",
                        file->name, c, i);
        return false;
    }
    return true;
}

void preprocess_push_file(struct preprocessor *pp, const struct source_file *file)
{
    if (!check_text(pp, file))
        return;
    if (pp->defines.count)
        find_parameters(pp, file);
    struct frame *frame = preprocess_push_frame(pp);
    frame->is_file = true;
    lexer_init(&frame->lexer, file, pp->arena, pp->diagnostics);
    pp->include_depth++;
}
