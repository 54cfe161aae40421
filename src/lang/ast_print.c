/*
 * The syntax tree as text, for `emit --stage ast`: one node a line, parts indented below it.
 * Expressions stand on their line in a fully parenthesised form, so that grouping can be seen.
 */
#include "lang/operators.h"

/* ---- Types ----------------------------------------------------------------------------------- */

static void print_type(const struct ast_type *type, struct text *out)
{
    if (type->is_const)
        text_string(out, "const ");
    switch (type->kind) {
    case AST_TYPE_ELEM:
        text_string(out, ir_elems[type->elem].name);
        break;
    case AST_TYPE_AUTO:
        text_string(out, "auto");
        break;
    case AST_TYPE_VOID:
        text_string(out, "void");
        break;
    case AST_TYPE_LAYOUT:
        text_string(out, "layout");
        break;
    case AST_TYPE_VIEW:
        text_string(out, "view");
        break;
    }
    if (type->pointer)
        text_string(out, "*");
    if (type->is_fixed)
        text_string(out, " const");
    if (type->is_restrict)
        text_string(out, " restrict");
}

/* ---- Expressions ----------------------------------------------------------------------------- */

static void print_text(const struct ast_expression *e, struct text *out)
{
    text_char(out, '"');
    for (size_t i = 0; i < e->text.length; i++) {
        unsigned char c = (unsigned char)e->text.bytes[i];
        if (c == '"' || c == '\\')
            text_format(out, "\\%c", c);
        else if (c >= ' ' && c <= '~')
            text_char(out, (char)c);
        else
            text_format(out, "\\x%02x", c);
    }
    text_char(out, '"');
}

static void print_floating(const struct ast_expression *e, struct text *out)
{
    text_string(out, e->floating.text);
    if (!e->floating.weak)
        text_format(out, ":%s", ir_elems[e->floating.elem].name);
}

static void print_expression(const struct ast_expression *e, struct text *out);

static void print_arguments(const struct ast_argument *arguments, int count, struct text *out)
{
    for (int i = 0; i < count; i++) {
        const struct ast_argument *argument = &arguments[i];
        text_string(out, i ? ", " : "");
        if (argument->name)
            text_format(out, ".%s = ", argument->name);
        if (argument->type)
            print_type(argument->type, out);
        else
            print_expression(argument->value, out);
    }
}

static void print_unary(const struct ast_expression *e, struct text *out)
{
    bool behind = e->unary.code == AST_POST_INC || e->unary.code == AST_POST_DEC;
    text_char(out, '(');
    text_string(out, behind ? "" : operator_unary_spelling(e->unary.code));
    print_expression(e->unary.operand, out);
    text_string(out, behind ? operator_unary_spelling(e->unary.code) : "");
    text_char(out, ')');
}

static void print_pair(const struct ast_expression *left, enum ast_binary_operator code,
                       const char *suffix, const struct ast_expression *right, struct text *out)
{
    text_char(out, '(');
    print_expression(left, out);
    text_format(out, " %s%s ", operator_spelling(code), suffix);
    print_expression(right, out);
    text_char(out, ')');
}

static void print_list(const struct ast_expression *e, struct text *out)
{
    text_char(out, '{');
    for (int i = 0; i < e->list.count; i++) {
        text_string(out, i ? ", " : "");
        if (e->list.entries[i].place) {
            text_char(out, '[');
            print_expression(e->list.entries[i].place, out);
            text_string(out, "] = ");
        }
        print_expression(e->list.entries[i].value, out);
    }
    text_char(out, '}');
}

static void print_expression(const struct ast_expression *e, struct text *out)
{
    switch (e->kind) {
    case AST_INTEGER:
        text_format(out, "%llu:%s", (unsigned long long)e->integer.value,
                    ir_elems[e->integer.elem].name);
        break;
    case AST_FLOATING:
        print_floating(e, out);
        break;
    case AST_TEXT:
        print_text(e, out);
        break;
    case AST_NAME:
        text_string(out, e->name);
        break;
    case AST_UNARY:
        print_unary(e, out);
        break;
    case AST_BINARY:
        print_pair(e->binary.left, e->binary.code, "", e->binary.right, out);
        break;
    case AST_ASSIGN:
        print_pair(e->assign.target, e->assign.code, "=", e->assign.value, out);
        break;
    case AST_CONDITIONAL:
        text_char(out, '(');
        print_expression(e->conditional.condition, out);
        text_string(out, " ? ");
        print_expression(e->conditional.yes, out);
        text_string(out, " : ");
        print_expression(e->conditional.no, out);
        text_char(out, ')');
        break;
    case AST_CALL:
        text_format(out, "%s(", e->call.name);
        print_arguments(e->call.arguments, e->call.argument_count, out);
        text_char(out, ')');
        break;
    case AST_INDEX:
        print_expression(e->index.base, out);
        text_char(out, '[');
        print_expression(e->index.index, out);
        text_char(out, ']');
        break;
    case AST_CAST:
        text_char(out, '(');
        print_type(e->cast.type, out);
        text_char(out, ')');
        print_expression(e->cast.operand, out);
        break;
    case AST_LIST:
        print_list(e, out);
        break;
    }
}

/* ---- Statements ------------------------------------------------------------------------------ */

static void indent(struct text *out, int level)
{
    for (int i = 0; i < level; i++)
        text_string(out, "  ");
}

static void print_variable(const struct ast_variable *v, struct text *out)
{
    text_string(out, v->is_constexpr ? "constexpr " : "");
    print_type(v->type, out);
    text_format(out, " %s", v->name);
    if (v->initial && v->initial->kind == AST_LIST) {
        text_char(out, '[');
        if (v->initial->list.size)
            print_expression(v->initial->list.size, out);
        text_char(out, ']');
    }
    if (v->initial) {
        text_string(out, " = ");
        print_expression(v->initial, out);
    }
}

static void print_statement(const struct ast_statement *s, int level, struct text *out);

static void print_loop(const struct ast_statement *s, int level, struct text *out)
{
    const struct ast_count *count = s->loop.count;
    text_string(out, "for");
    if (count && count->declared && !count->others) {
        text_char(out, ' ');
        print_variable(count->declared, out);
        text_format(out, " while %s ", operator_spelling(count->relation));
        print_expression(count->bound, out);
        text_string(out, count->descending ? " step -" : " step ");
        if (count->step)
            print_expression(count->step, out);
        else
            text_char(out, '1');
        text_char(out, '\n');
        print_statement(s->loop.body, level + 1, out);
        return;
    }
    if (s->loop.condition) {
        text_string(out, " while ");
        print_expression(s->loop.condition, out);
    }
    text_char(out, '\n');
    const struct ast_statement *parts[] = {s->loop.start, s->loop.body, s->loop.steps};
    static const char *const names[] = {"start", "body", "step"};
    for (int i = 0; i < 3; i++) {
        if (!parts[i])
            continue;
        indent(out, level + 1);
        text_format(out, "%s\n", names[i]);
        print_statement(parts[i], level + 2, out);
    }
}

static void print_branch(const struct ast_statement *s, int level, struct text *out)
{
    text_string(out, "if ");
    print_expression(s->branch.condition, out);
    text_char(out, '\n');
    print_statement(s->branch.then, level + 1, out);
    if (s->branch.otherwise) {
        indent(out, level);
        text_string(out, "else\n");
        print_statement(s->branch.otherwise, level + 1, out);
    }
}

static void print_switch(const struct ast_statement *s, int level, struct text *out)
{
    text_string(out, "switch ");
    print_expression(s->choice.value, out);
    text_char(out, '\n');
    for (int i = 0; i < s->choice.count; i++) {
        const struct ast_arm *arm = &s->choice.arms[i];
        indent(out, level + 1);
        for (int k = 0; k < arm->count; k++) {
            text_string(out, k ? ", " : "case ");
            print_expression(arm->cases[k], out);
        }
        if (arm->is_default)
            text_string(out, arm->count ? ", default" : "default");
        text_char(out, '\n');
        print_statement(arm->body, level + 2, out);
    }
}

static void print_declaration(const struct ast_statement *s, struct text *out)
{
    text_string(out, "declare ");
    for (int i = 0; i < s->declare.count; i++) {
        text_string(out, i ? ", " : "");
        print_variable(&s->declare.variables[i], out);
    }
    text_char(out, '\n');
}

static void print_while(const struct ast_expression *condition, struct text *out)
{
    text_string(out, "while ");
    print_expression(condition, out);
    text_char(out, '\n');
}

static void print_statement(const struct ast_statement *s, int level, struct text *out)
{
    indent(out, level);
    switch (s->kind) {
    case AST_DECLARE:
        print_declaration(s, out);
        break;
    case AST_EVALUATE:
        print_expression(s->evaluate, out);
        text_char(out, '\n');
        break;
    case AST_BLOCK:
        text_string(out, "block\n");
        for (int i = 0; i < s->block.count; i++)
            print_statement(s->block.items[i], level + 1, out);
        break;
    case AST_IF:
        print_branch(s, level, out);
        break;
    case AST_FOR:
        print_loop(s, level, out);
        break;
    case AST_WHILE:
        print_while(s->repeat.condition, out);
        print_statement(s->repeat.body, level + 1, out);
        break;
    case AST_DO:
        text_string(out, "do\n");
        print_statement(s->repeat.body, level + 1, out);
        indent(out, level);
        print_while(s->repeat.condition, out);
        break;
    case AST_SWITCH:
        print_switch(s, level, out);
        break;
    case AST_BREAK:
        text_string(out, "break\n");
        break;
    case AST_CONTINUE:
        text_string(out, "continue\n");
        break;
    case AST_RETURN:
        text_string(out, s->result ? "return " : "return");
        if (s->result)
            print_expression(s->result, out);
        text_char(out, '\n');
        break;
    case AST_EMPTY:
        text_string(out, "empty\n");
        break;
    case AST_BROKEN:
        text_string(out, "broken\n");
        break;
    }
}

/* ---- File scope ------------------------------------------------------------------------------ */

static void print_function(const struct ast_function *function, struct text *out)
{
    text_string(out, function->is_kernel ? "kernel " : "static ");
    print_type(function->result, out);
    text_format(out, " %s(", function->name);
    for (int i = 0; i < function->parameter_count; i++) {
        const struct ast_parameter *parameter = &function->parameters[i];
        text_string(out, i ? ", " : "");
        text_string(out, parameter->is_constexpr ? "constexpr " : "");
        print_type(parameter->type, out);
        text_format(out, " %s", parameter->name);
    }
    text_string(out, ")\n");
    for (int i = 0; i < function->body->block.count; i++)
        print_statement(function->body->block.items[i], 1, out);
}

static void print_line(const struct ast_item *item, struct text *out)
{
    static const char *const names[] = {
        [AST_LAUNCH_GRID] = "launch_grid",
        [AST_TUNE] = "tune",
        [AST_REQUIRE] = "require",
        [AST_LAUNCH_REQUIRE] = "launch_require",
        [AST_STATIC_REQUIRE] = "static_require",
    };
    text_string(out, names[item->kind]);
    if (item->function)
        text_format(out, " %s", item->function->name);
    if (item->name)
        text_format(out, " %s", item->name);
    text_string(out, ": ");
    print_arguments(item->arguments, item->argument_count, out);
    if (item->text) {
        struct ast_expression text = {.kind = AST_TEXT, .text = {item->text, 0}};
        while (item->text[text.text.length])
            text.text.length++;
        text_string(out, ", ");
        print_expression(&text, out);
    }
    text_char(out, '\n');
}

void lang_print(const struct lang_unit *unit, struct text *out)
{
    for (int i = 0; i < unit->ast->item_count; i++) {
        const struct ast_item *item = &unit->ast->items[i];
        if (item->kind == AST_FUNCTION) {
            print_function(item->function, out);
        } else if (item->kind == AST_CONSTANT) {
            print_variable(item->constant, out);
            text_char(out, '\n');
        } else {
            print_line(item, out);
        }
    }
}
