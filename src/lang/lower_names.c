/*
 * Names, before anything is elaborated: every name in a kernel and in the helpers that it calls
 * must be declared, also in the branch that a constant condition leaves out. Elaboration relies on
 * it. The same kind of walk finds the variables that a loop assigns.
 */
#include "base/suggest.h"
#include "lang/foreign.h"
#include "lang/lower.h"

#include <string.h>
#include <strings.h>

/* ---- Walking ----------------------------------------------------------------------------- */

struct local {
    const char *name;
    struct source_range range;
    bool unknown; /* used, but neither declared nor assigned: reported */
    bool guessed; /* never declared, which was reported */
};

struct mentions {
    const char **items;
    size_t count, capacity;
};

struct walk {
    struct lower *l;
    struct {
        struct local *items;
        size_t count, capacity;
    } locals;
    struct {
        struct local *items;
        size_t count, capacity;
    } ended;                       /* locals of the function whose scope has ended */
    size_t scope;                  /* locals of the innermost scope begin here */
    size_t params;                 /* those of the function begin here */
    bool fine, in_loop, in_switch; /* in_switch: and in no loop within it */
    const char *told;              /* the hint for the call around, or NULL */
    bool vague;                    /* a broken declaration has lost the name that it declares */
    struct mentions
        mentioned; /* in broken statements of the function, whose ends are not certain */
    struct {
        const struct ast_function **items;
        size_t count, capacity;
    } visited;
    /* Only for lower_loop_effects: */
    bool collecting;
    struct loop_effects *effects;
    size_t capacity;
    int loop_depth;
    const char *counter;   /* of the loop, while its body is looked at; NULL else */
    size_t counter_number; /* what local_number gives for it */
};

/* One more than the place of the innermost local from `first` on of that name; 0: there is none. */
static size_t local_number(const struct walk *walk, const char *name, size_t first)
{
    for (size_t i = walk->locals.count; i > first; i--) {
        if (strcmp(walk->locals.items[i - 1].name, name) == 0)
            return i;
    }
    return 0;
}

static bool is_local(const struct walk *walk, const char *name, size_t first)
{
    return local_number(walk, name, first) > 0;
}

static void add_local(struct walk *walk, const char *name, struct source_range range)
{
    struct lower *l = walk->l;
    for (size_t i = walk->scope; !walk->collecting && i < walk->locals.count; i++) {
        if (strcmp(walk->locals.items[i].name, name) != 0 || walk->locals.items[i].guessed)
            continue;
        lower_error(l, range, "'%s' is declared twice", name);
        lower_note(l, walk->locals.items[i].range, "'%s' is declared here first", name);
        walk->fine = false;
    }
    if (walk->locals.count >= LOWER_MAX_VARIABLES) {
        lower_error(l, range, "too many variables at one place");
        l->stopped = true;
        walk->fine = false;
        return;
    }
    struct local local = {.name = name, .range = range};
    ARENA_PUSH(l->arena, &walk->locals, local);
}

/* ---- Unknown names ----------------------------------------------------------------------- */

/* What people know from elsewhere, or else the nearest name; of one letter every other letter is
 * near, so there only the case may be wrong. */
static void hint(struct lower *l, const struct suggestion *suggestion, const char *known)
{
    const char *name = suggestion->name;
    if (known)
        lower_hint(l, "%s", known);
    else if (suggestion->best && (name[1] || strcasecmp(name, suggestion->best) == 0))
        lower_hint(l, "did you mean '%s'?", suggestion->best);
}

static bool is_mentioned(const struct walk *walk, const char *name)
{
    for (size_t i = 0; i < walk->mentioned.count; i++) {
        if (strcmp(walk->mentioned.items[i], name) == 0)
            return true;
    }
    return walk->vague || walk->l->unit->ast->vague;
}

/* Python's variables outlive the block that they are first set in. */
static const struct local *find_ended(const struct walk *walk, const char *name)
{
    for (size_t i = walk->ended.count; i > 0; i--) {
        if (strcmp(walk->ended.items[i - 1].name, name) == 0)
            return &walk->ended.items[i - 1];
    }
    return NULL;
}

static void unknown_value(struct walk *walk, const struct ast_expression *e, bool assigned)
{
    const struct local *ended = find_ended(walk, e->name);
    struct lower *l = walk->l;
    struct suggestion suggestion = {.name = e->name};
    for (size_t i = walk->params; i < walk->locals.count; i++)
        if (!walk->locals.items[i].unknown)
            suggestion_offer(&suggestion, walk->locals.items[i].name);
    for (size_t i = 0; i < l->file_constants; i++)
        suggestion_offer(&suggestion, l->variables.items[i].name);
    walk->fine = false;
    const char *foreign = foreign_value_hint(e->name);
    bool told = walk->told && foreign && strcmp(walk->told, foreign) == 0;
    if (!is_mentioned(walk, e->name) && !told) {
        lower_error(l, e->range, "unknown name '%s'", e->name);
        if (ended) {
            lower_hint(l, "a variable ends with its block: declare it in front of that");
            lower_note(l, ended->range, "'%s' is declared here", e->name);
        } else if (assigned && suggestion.best)
            lower_hint(l, "did you mean '%s'? a new variable is declared: 'auto %s = ...;'",
                       suggestion.best, e->name);
        else if (assigned)
            lower_hint(l, "declare it with its first value: 'auto %s = ...;'", e->name);
        else
            hint(l, &suggestion, foreign);
    }
    /* Known from now on, so that one mistake is reported once. */
    struct local local = {e->name, e->range, .unknown = !assigned, .guessed = true};
    ARENA_PUSH(l->arena, &walk->locals, local);
}

static void unknown_function(struct walk *walk, const struct ast_expression *e)
{
    struct lower *l = walk->l;
    walk->fine = false;
    if (is_mentioned(walk, e->call.name))
        return;
    if (is_local(walk, e->call.name, walk->params)) {
        lower_error(l, e->at, "'%s' is not a function", e->call.name);
        return;
    }
    for (int i = 0; i < l->unit->ast->ahead_count; i++) {
        const struct ast_function *ahead = l->unit->ast->ahead[i];
        if (strcmp(ahead->name, e->call.name) != 0)
            continue;
        lower_error(l, e->at, "'%s' has no body", e->call.name);
        lower_note(l, ahead->range, "'%s' is declared here", e->call.name);
        return;
    }
    struct suggestion suggestion = {.name = e->call.name};
#define BUILTIN(name, ...) suggestion_offer(&suggestion, #name);
#include "lang/builtins.def"
#undef BUILTIN
    for (int i = 0; i < l->unit->ast->item_count; i++) {
        const struct ast_item *item = &l->unit->ast->items[i];
        if (item->kind == AST_FUNCTION && !item->function->is_kernel)
            suggestion_offer(&suggestion, item->function->name);
    }
    lower_error(l, e->at, "unknown function '%s'", e->call.name);
    hint(l, &suggestion, foreign_hint(e->call.name));
}

static bool is_file_constant(const struct lower *l, const char *name)
{
    for (size_t i = 0; i < l->file_constants; i++) {
        if (strcmp(l->variables.items[i].name, name) == 0)
            return true;
    }
    return false;
}

static void walk_function(struct walk *walk, const struct ast_function *function);

/* assigned: by a plain `=`, as where a declaration was forgotten. */
static void name_used(struct walk *walk, const struct ast_expression *e, bool assigned)
{
    if (walk->collecting || is_local(walk, e->name, walk->params) ||
        is_file_constant(walk->l, e->name) || ast_is_builtin(e->name))
        return;
    const struct ast_function *function = ast_find_function(walk->l->unit->ast, e->name);
    if (function)
        walk_function(walk, function); /* scan(helper, x) */
    else
        unknown_value(walk, e, assigned);
}

static void name_called(struct walk *walk, const struct ast_expression *e)
{
    if (walk->collecting)
        return;
    const struct ast_function *function = ast_find_function(walk->l->unit->ast, e->call.name);
    if (function)
        walk_function(walk, function);
    else if (!ast_is_builtin(e->call.name))
        unknown_function(walk, e);
}

/* ---- What a loop assigns ----------------------------------------------------------------- */

static void name_assigned(struct walk *walk, const char *name)
{
    if (walk->counter && strcmp(walk->counter, name) == 0 &&
        local_number(walk, name, 0) == walk->counter_number)
        walk->effects->counter_assigned = true;
    if (!walk->collecting || is_local(walk, name, 0))
        return;
    struct lower *l = walk->l;
    struct variable *variable = lower_find_variable(l, name);
    if (!variable || variable->kind != VARIABLE_ORDINARY)
        return;
    size_t index = (size_t)(variable - l->variables.items);
    struct loop_effects *effects = walk->effects;
    for (int i = 0; i < effects->count; i++) {
        if (effects->variables[i] == index)
            return;
    }
    if ((size_t)effects->count == walk->capacity)
        effects->variables = arena_grow(l->arena, effects->variables, (size_t)effects->count,
                                        &walk->capacity, sizeof *effects->variables);
    effects->variables[effects->count++] = index;
}

/* ---- The tree ---------------------------------------------------------------------------- */

static void expression(struct walk *walk, const struct ast_expression *e);

static void operand(void *user, const struct ast_expression *e)
{
    expression(user, e);
}

/* barrier(CLK_LOCAL_MEM_FENCE) is one mistake: names of which the hint for the function says all.
 */
static void call(struct walk *walk, const struct ast_expression *e)
{
    const char *outer = walk->told;
    name_called(walk, e);
    walk->told = ast_is_builtin(e->call.name) ? NULL : foreign_hint(e->call.name);
    ast_each_operand(e, operand, walk);
    walk->told = outer;
}

/* What is assigned is looked at behind the value: only then it has one. */
static void assignment(struct walk *walk, const struct ast_expression *e)
{
    const struct ast_expression *target = e->assign.target;
    expression(walk, e->assign.value);
    if (target->kind != AST_NAME) {
        expression(walk, target);
        return;
    }
    name_used(walk, target, e->assign.code == AST_NO_OPERATOR);
    name_assigned(walk, target->name);
}

static void expression(struct walk *walk, const struct ast_expression *e)
{
    if (!lower_spend(walk->l, e->range))
        return;
    switch ((int)e->kind) {
    case AST_NAME:
        name_used(walk, e, false);
        break;
    case AST_ASSIGN:
        assignment(walk, e);
        break;
    case AST_CALL:
        call(walk, e);
        break;
    default:
        ast_each_operand(e, operand, walk);
        if (e->kind == AST_UNARY && e->unary.code >= AST_PRE_INC &&
            e->unary.operand->kind == AST_NAME)
            name_assigned(walk, e->unary.operand->name);
    }
}

static void statement(struct walk *walk, const struct ast_statement *s);

static void statements(struct walk *walk, const struct ast_statement *block)
{
    for (int i = 0; i < block->block.count && !walk->l->stopped; i++)
        statement(walk, block->block.items[i]);
}

/* The scope of a block, a loop or a branch; returns what leave_scope takes. */
static size_t enter_scope(struct walk *walk)
{
    size_t outer = walk->scope;
    walk->scope = walk->locals.count;
    return outer;
}

static void leave_scope(struct walk *walk, size_t outer)
{
    for (size_t i = walk->scope; !walk->collecting && i < walk->locals.count; i++) {
        if (!walk->locals.items[i].unknown)
            ARENA_PUSH(walk->l->arena, &walk->ended, walk->locals.items[i]);
    }
    walk->locals.count = walk->scope;
    walk->scope = outer;
}

static void scoped(struct walk *walk, const struct ast_statement *s)
{
    if (!s)
        return;
    size_t outer = enter_scope(walk);
    statement(walk, s);
    leave_scope(walk, outer);
}

static void loop_body(struct walk *walk, const struct ast_statement *body)
{
    bool in_loop = walk->in_loop, in_switch = walk->in_switch;
    walk->in_loop = true;
    walk->in_switch = false;
    walk->loop_depth++;
    scoped(walk, body);
    walk->loop_depth--;
    walk->in_loop = in_loop;
    walk->in_switch = in_switch;
}

/* All of a for loop but what it starts with. */
static void for_parts(struct walk *walk, const struct ast_statement *s)
{
    if (s->loop.condition)
        expression(walk, s->loop.condition);
    if (s->loop.steps)
        statement(walk, s->loop.steps);
    loop_body(walk, s->loop.body);
}

static void leaving(struct walk *walk, const struct ast_statement *s)
{
    bool breaks = s->kind == AST_BREAK;
    if (walk->collecting) {
        if (walk->loop_depth == 1)
            *(breaks ? &walk->effects->has_break : &walk->effects->has_continue) = true;
    } else if (breaks && walk->in_switch) {
        lower_error(walk->l, s->range, "'break' leaves a 'switch' at the end of a case only");
        lower_hint(walk->l, "put what follows under an 'else'");
        walk->fine = false;
    } else if (!walk->in_loop) {
        lower_error(walk->l, s->range, "'%s' outside of a loop", breaks ? "break" : "continue");
        walk->fine = false;
    }
}

static void arms(struct walk *walk, const struct ast_statement *s)
{
    bool in_switch = walk->in_switch;
    walk->in_switch = true;
    for (int i = 0; i < s->choice.count; i++) {
        for (int k = 0; k < s->choice.arms[i].count; k++)
            expression(walk, s->choice.arms[i].cases[k]);
        scoped(walk, s->choice.arms[i].body);
    }
    walk->in_switch = in_switch;
}

static void broken(struct walk *walk, const struct ast_statement *s)
{
    walk->fine = false;
    walk->vague = walk->vague || s->broken.vague;
    for (int i = 0; i < s->broken.count; i++) {
        const char *name = s->broken.names[i].name;
        ARENA_PUSH(walk->l->arena, &walk->mentioned, name);
        if (s->broken.names[i].sets)
            name_assigned(walk, name);
    }
}

/* Whether a name means something although no local has it. */
static bool is_known_outside(const struct walk *walk, const char *name)
{
    return is_file_constant(walk->l, name) || ast_is_builtin(name) ||
           ast_find_function(walk->l->unit->ast, name) || is_mentioned(walk, name);
}

static void refuse_initial(struct walk *walk, const struct ast_variable *variable, const char *hint)
{
    lower_error(walk->l, variable->range,
                "'%s' is used in its own initial value, where it has none yet", variable->name);
    lower_hint(walk->l, "%s", hint);
    walk->fine = false;
}

/* C: the scope of a name begins in front of its initial value, so there it is no longer the name of
 * what it hides. */
static void check_hiding_initial(struct walk *walk, const struct ast_variable *variable)
{
    struct lower *l = walk->l;
    size_t number = local_number(walk, variable->name, walk->params);
    const struct source_range *hidden = number ? &walk->locals.items[number - 1].range : NULL;
    for (size_t i = 0; !hidden && i < l->file_constants; i++)
        if (strcmp(l->variables.items[i].name, variable->name) == 0)
            hidden = &l->variables.items[i].range;
    if (walk->collecting || !hidden || number > walk->scope ||
        !ast_mentions(variable->initial, variable->name))
        return;
    refuse_initial(walk, variable, "give it another name than what it hides");
    lower_note(l, *hidden, "this '%s' is hidden", variable->name);
}

static void declaration(struct walk *walk, const struct ast_variable *variable)
{
    bool alone = !walk->collecting && !is_local(walk, variable->name, walk->params) &&
                 !is_known_outside(walk, variable->name) &&
                 ast_mentions(variable->initial, variable->name);
    if (alone) {
        refuse_initial(walk, variable,
                       walk->in_loop ? "what a loop carries is declared in front of it, with its "
                                       "first value"
                                     : "give it a first value that is made of others");
        add_local(walk, variable->name, variable->range);
    }
    if (variable->initial)
        expression(walk, variable->initial);
    if (!alone) {
        check_hiding_initial(walk, variable);
        add_local(walk, variable->name, variable->range);
    }
}

static void statement(struct walk *walk, const struct ast_statement *s)
{
    size_t outer;
    switch (s->kind) {
    case AST_DECLARE:
        for (int i = 0; i < s->declare.count; i++)
            declaration(walk, &s->declare.variables[i]);
        break;
    case AST_EVALUATE:
        expression(walk, s->evaluate);
        break;
    case AST_BLOCK:
        outer = enter_scope(walk);
        statements(walk, s);
        leave_scope(walk, outer);
        break;
    case AST_IF:
        expression(walk, s->branch.condition);
        scoped(walk, s->branch.then);
        scoped(walk, s->branch.otherwise);
        break;
    case AST_FOR:
        outer = enter_scope(walk);
        if (s->loop.start && s->loop.start->kind == AST_BLOCK) /* in the loop's own scope */
            statements(walk, s->loop.start);
        else if (s->loop.start)
            statement(walk, s->loop.start);
        for_parts(walk, s);
        leave_scope(walk, outer);
        break;
    case AST_WHILE:
        expression(walk, s->repeat.condition);
        loop_body(walk, s->repeat.body);
        break;
    case AST_DO:
        loop_body(walk, s->repeat.body);
        if (s->repeat.condition)
            expression(walk, s->repeat.condition);
        break;
    case AST_SWITCH:
        expression(walk, s->choice.value);
        arms(walk, s);
        break;
    case AST_BREAK:
    case AST_CONTINUE:
        leaving(walk, s);
        break;
    case AST_RETURN:
        if (walk->collecting)
            walk->effects->has_return = true;
        if (s->result)
            expression(walk, s->result);
        break;
    case AST_EMPTY:
        break;
    case AST_BROKEN:
        broken(walk, s);
        break;
    }
}

/* ---- Entry points ------------------------------------------------------------------------ */

static bool first_visit(struct walk *walk, const struct ast_function *function)
{
    for (size_t i = 0; i < walk->visited.count; i++) {
        if (walk->visited.items[i] == function)
            return false;
    }
    ARENA_PUSH(walk->l->arena, &walk->visited, function);
    return true;
}

static void walk_function(struct walk *walk, const struct ast_function *function)
{
    if (!function->body || function->lost || !first_visit(walk, function) ||
        !lower_enter(walk->l, function->range))
        return;
    struct walk outer = *walk;
    walk->scope = walk->params = walk->locals.count;
    walk->in_loop = walk->vague = false;
    walk->mentioned = (struct mentions){0};
    walk->ended.items = NULL;
    walk->ended.count = walk->ended.capacity = 0;
    for (int i = 0; i < function->parameter_count; i++)
        add_local(walk, function->parameters[i].name, function->parameters[i].range);
    /* C: the outermost block of a function is the scope of its parameters. */
    statements(walk, function->body);
    walk->locals.count = outer.locals.count;
    walk->scope = outer.scope;
    walk->params = outer.params;
    walk->in_loop = outer.in_loop;
    walk->vague = outer.vague;
    walk->ended = outer.ended;
    walk->mentioned = outer.mentioned;
    lower_leave(walk->l);
}

bool lower_check_names(struct lower *l, const struct ast_function *function)
{
    struct walk walk = {.l = l, .fine = true};
    walk_function(&walk, function);
    return walk.fine && !l->stopped;
}

bool lower_check_expression(struct lower *l, const struct ast_function *kernel,
                            const struct ast_expression *e)
{
    struct walk walk = {.l = l, .fine = true};
    for (int i = 0; kernel && i < kernel->parameter_count; i++)
        add_local(&walk, kernel->parameters[i].name, kernel->parameters[i].range);
    expression(&walk, e);
    return walk.fine && !l->stopped;
}

struct loop_effects lower_loop_effects(struct lower *l, const struct ast_statement *loop)
{
    struct loop_effects effects = {0};
    struct walk walk = {.l = l, .fine = true, .collecting = true, .effects = &effects};
    if (loop->kind == AST_FOR)
        for_parts(&walk, loop); /* what it starts with has been elaborated */
    else
        statement(&walk, loop);
    return effects;
}

struct loop_effects lower_count_effects(struct lower *l, const struct ast_statement *loop)
{
    struct loop_effects effects = {0};
    struct walk walk = {.l = l, .fine = true, .collecting = true, .effects = &effects};
    const struct ast_count *count = loop->loop.count;
    if (count->declared)
        add_local(&walk, count->counter, count->declared->range);
    expression(&walk, count->bound);
    if (count->step)
        expression(&walk, count->step);
    walk.counter = count->counter;
    walk.counter_number = count->declared ? walk.locals.count : 0;
    if (count->others)
        statement(&walk, count->others);
    loop_body(&walk, loop->loop.body);
    return effects;
}
