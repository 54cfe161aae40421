#ifndef TILEC_LANG_LOWER_H
#define TILEC_LANG_LOWER_H
/*
 * Elaboration, shared by the lower_*.c files: the state of one lang_lower call, and what the files
 * offer each other. Entry points are in lower.c, the language's rules by topic:
 *
 *   lower_type.c        C's types: promotions, usual conversions, assignment, casts, shapes
 *   lower_arithmetic.c  operators on values, constants, fma
 *   lower_expression.c  expressions
 *   lower_statement.c   scopes, declarations, assignments, static helpers
 *   lower_control.c     if and ?:, and the values that they join
 *   lower_switch.c      switch
 *   lower_leave.c       blocks, and what leaves them: break, continue, return
 *   lower_loop.c        for, while, do: what they carry, and their forms in Tile IR
 *   lower_count.h       for loops that count, in several files
 *   lower_names.c       unknown and misspelt names; which variables a loop assigns
 *   lower_table.c       tables of constants
 *   lower_call.c        calls of built-ins: arguments by builtins.def
 *   lower_math.c, lower_shape.c, lower_memory.c, lower_reduce.c, lower_sort.c
 *                       built-ins by family
 *   lower_composed.c    built-ins that are written in the language
 *   lower_host.c        grids, launch requirements, requirements, tune values
 */
#include "ir/ir.h"
#include "lang/ast.h"
#include "lang/value.h"

enum {
#ifdef TILEC_TINY_LIMITS
    LOWER_MAX_DEPTH = 60,
    LOWER_MAX_WORK = 4000,
    LOWER_MAX_VARIABLES = 60,
#else
    LOWER_MAX_DEPTH = 800,       /* nesting of expressions and statements, helpers included */
    LOWER_MAX_WORK = 400 * 1000, /* nodes elaborated, repetitions included: bounds time and IR */
    LOWER_MAX_VARIABLES = 1000,  /* at one place */
#endif
};

enum variable_kind {
    VARIABLE_ORDINARY,
    VARIABLE_CONSTANT, /* constexpr */
    VARIABLE_COUNTER,  /* of a for loop that counts: nothing in its body assigns it */
    VARIABLE_HIDDEN,   /* of the elaboration itself, see lower_leave.c */
};

struct variable {
    enum variable_kind kind;
    const char *name;           /* "" for hidden ones */
    struct source_range range;  /* where it is declared */
    struct source_range placed; /* where it got its value: for messages */
    bool is_auto, is_const;
    bool to_const;       /* a pointer variable: may point to const */
    struct ir_type type; /* declared: element or pointer, rank 0; auto: of the first value */
    struct value value;
    size_t missed; /* number of the diagnostic that it had no value, from 1 on; 0: none */
};

/* The function that is being elaborated: the kernel or an inlined helper. */
struct frame {
    const struct ast_function *function; /* NULL: at file scope */
    struct frame *caller;
    size_t first;      /* its variables begin here */
    size_t returned;   /* hidden variable: bool, whether it has returned */
    size_t result;     /* hidden variable: what it returns */
    struct loop *loop; /* innermost loop */
    bool folds;        /* a helper whose arguments are all known: its variables stay known */
};

/* A loop that is being elaborated; broke and continued are hidden variables. */
struct loop {
    struct loop *outer;
    size_t broke, continued; /* broke: also the first variable that is not carried */
    /* By variable: it has no value where a `continue` (0) or a `break` (1) leaves the body. NULL:
     * there was none. */
    bool *without[2];
};

/* A variable that took a loop's shape, for the warning of reductions. */
struct promoted {
    const struct ir_value *result;
    const char *name;
    struct source_range range; /* of the scalar start */
    struct value start;
};

struct lower {
    struct arena *arena;
    struct diagnostics *diagnostics;
    struct diagnostic *last; /* what lower_error added, for lower_hint */
    int calls_noted;         /* notes "is called here" behind it */
    const struct lang_unit *unit;
    const struct lang_unit *composed; /* lower_composed.c; NULL: no function of it was called yet */
    struct ir_builder b;
    struct {
        struct variable *items;
        size_t count, capacity;
    } variables; /* innermost scope last; the constants of the file come first */
    size_t file_constants;
    struct frame *frame;
    bool dead; /* nothing reaches this place: after return, break, continue */
    int depth, work;
    bool stopped;        /* a limit was reached: everything is poison */
    bool failed;         /* an error was found */
    bool in_kernel;      /* not in a constant, a grid or a launch requirement */
    bool names_reported; /* unknown names were found: silence where one is met */
    struct {
        struct promoted *items;
        size_t count, capacity;
    } promoted;
    struct {
        size_t *items;
        size_t count, capacity;
    } reported; /* variables that are poison because they were used without a value */
    struct {
        const struct ir_table **items;
        size_t count, capacity;
    } tables; /* so far, each once */
};

/* ---- lower.c ----------------------------------------------------------------------------- */

extern const struct value value_poison, value_none, value_void;

/* Report an error and return poison. */
struct value lower_error(struct lower *l, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lower_warning(struct lower *l, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void lower_note(struct lower *l, struct source_range range, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Attach a hint to the last error or warning. */
void lower_hint(struct lower *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What an elaboration that is only an attempt must undo: its messages, and the poison that keeps
 * them from being repeated. */
struct checkpoint {
    struct diagnostics diagnostics;
    size_t promoted, reported;
    bool failed;
};
struct checkpoint lower_mark(const struct lower *l);
void lower_undo(struct lower *l, const struct checkpoint *checkpoint);

/* Counts one node and one level; false when a limit is reached. Leave what was entered. */
bool lower_enter(struct lower *l, struct source_range range);
void lower_leave(struct lower *l);
/* Counts one node; false when a limit is reached. */
bool lower_spend(struct lower *l, struct source_range range);

/* Starts an elaboration: evaluates the constants of the file. */
void lower_init(struct lower *l, const struct lang_unit *unit, struct diagnostics *diagnostics);
/* A function to build, with the kernel's run-time parameters (host: its scalars); building goes on
 * in its body. */
struct ir_func *lower_new_func(struct lower *l, const struct ast_function *kernel, bool host);
/* Declares the kernel's parameters in the frame: those of the function that is built, fixed where
 * bindings and defines say so, and the constexpr ones with their values. False after an error. */
bool lower_declare_parameters(struct lower *l, const struct ast_function *kernel,
                              const struct lang_binding *bindings, int binding_count);
void lower_drop_unused_parameters(struct ir_func *func);

/* Refuses a function whose blocks nest deeper than IR_MAX_BLOCKS. */
bool lower_check_blocks(struct lower *l, const struct ir_func *func);
/* What bindings and defines say of a parameter, as its type: a constant, poison after an error, or
 * kind NONE where they say nothing. */
struct value lower_parameter_value(struct lower *l, const struct ast_parameter *parameter,
                                   const struct lang_binding *bindings, int binding_count);
struct ir_func *lower_kernel(struct lower *l, const struct ast_function *kernel,
                             const struct lang_binding *bindings, int binding_count);

/* ---- further.c --------------------------------------------------------------------------- */

/* An AST_BROKEN. */
void lower_broken(struct lower *l, const struct ast_statement *s);

/* ---- lower_type.c ------------------------------------------------------------------------ */

struct value value_from_ir(struct ir_value *ir, enum ir_elem nominal);
struct value value_index(struct ir_value *ir, enum ir_elem nominal); /* ir is i64 */
struct value value_constant(enum ir_elem elem, uint64_t bits);
struct value value_index_constant(int64_t number);
struct value value_weak(double real, float single);
/* A constant integer or bool; false for anything else. */
bool value_number(struct value v, int64_t *number);
/* v with another IR value of the same element: keeps the index class. */
struct value value_like(struct value v, struct ir_value *ir);

/* "float", "int", "float [64, 32]", "const half *", "a view": as messages name types. */
const char *lower_type_name(struct lower *l, struct value v);
const char *lower_elem_name(enum ir_elem elem);
const char *lower_shape_name(struct lower *l, struct ir_type type); /* "[64, 32]", "a scalar" */

/* Emits a pending product and gives a weak constant its type: float. */
struct value lower_settle(struct lower *l, struct value v);
/* The IR value of DATA; constants are emitted. */
struct ir_value *lower_ir(struct lower *l, struct value v);

/* To an element, as by a cast. Never fails on numbers. */
struct value lower_convert(struct lower *l, struct value v, enum ir_elem elem);
/* An integer or bool as an index; settles nothing else. */
struct value lower_to_index(struct lower *l, struct value v);
/* The integer promotions. */
struct value lower_promote(struct lower *l, struct value v);
/* Drops the index class: narrows to the nominal type. */
struct value lower_narrow(struct lower *l, struct value v);
/* The usual arithmetic conversions of two numbers; promote: integer promotions first (operators),
 * else two operands of one type keep it (where, maximum). False after an error. */
bool lower_usual(struct lower *l, struct source_range range, struct value *x, struct value *y,
                 bool promote);
/* Truth of a number, elementwise: bool. */
struct value lower_truth(struct lower *l, struct source_range range, struct value v);
/* Warns if v is a constant, not said to be meant by a cast, of which elem cannot hold the value. */
/* Warns of 1 / 3 where it becomes a float. */
void lower_warn_of_vanished(struct lower *l, struct value v);
void lower_warn_of_change(struct lower *l, struct source_range range, struct value v,
                          enum ir_elem elem, const char *what);
/* Converts to a declared type (rank 0; elem or pointer), keeping the shape. */
struct value lower_assign_convert(struct lower *l, struct source_range range, struct value v,
                                  struct ir_type type, bool pointer_to_const, const char *what);

/* The common shape of count values; what broadcasts is broadcast. False after an error. */
bool lower_common_shape(struct lower *l, struct source_range range, struct value *const *values,
                        int count);
struct value lower_broadcast(struct lower *l, struct value v, struct ir_type shape);
/* Whether shape from broadcasts to shape to. */
bool lower_broadcasts(struct ir_type from, struct ir_type to);
/* Checks rank and element count of a shape; false after an error. */
bool lower_check_shape(struct lower *l, struct source_range range, struct ir_type type);

/* ---- lower_arithmetic.c ------------------------------------------------------------------ */

struct value lower_binary(struct lower *l, const struct ast_expression *e,
                          enum ast_binary_operator code, struct value x, struct value y);
struct value lower_unary(struct lower *l, const struct ast_expression *e,
                         enum ast_unary_operator code, struct value x);
/* An elementwise op on converted operands: broadcasts, folds constants, emits. */
struct value lower_elementwise(struct lower *l, struct source_range range, enum ir_opcode code,
                               struct value *operands, int count);
/* pointer + integer (negative: minus). */
struct value lower_address(struct lower *l, struct source_range range, struct value pointer,
                           struct value offset, bool negative);

/* ---- lower_expression.c ------------------------------------------------------------------ */

/* May return a pending product. */
struct value lower_expression(struct lower *l, const struct ast_expression *e);
/* Settled. */
struct value lower_value(struct lower *l, const struct ast_expression *e);
/* A uniform truth for if and while; poison after an error. what: "if", "while". */
struct value lower_condition(struct lower *l, const struct ast_expression *e, const char *what);
/* A constant integer; false after an error. what: "the axis", for the message. */
bool lower_constant(struct lower *l, const struct ast_expression *e, const char *what,
                    int64_t *number);
/* Hints at what makes e, which had to be a constant, one; e may be NULL. */
void lower_hint_constant(struct lower *l, const struct ast_expression *e);
/* The address of X[i] or *p, which is one element's. */
struct value lower_place(struct lower *l, const struct ast_expression *e);
struct value lower_scalar_load(struct lower *l, struct source_range range, struct value pointer);

/* ---- lower_table.c ----------------------------------------------------------------------- */

extern const char lower_table_hint[]; /* how a table is read */
/* What a variable whose initial value is an AST_LIST holds; poison after an error. */
struct value lower_table(struct lower *l, const struct ast_variable *declared);
/* table[index]; e: all of it. */
struct value lower_table_element(struct lower *l, const struct ast_expression *e,
                                 struct value table, struct value index);

/* ---- lower_statement.c ------------------------------------------------------------------- */

size_t lower_add_variable(struct lower *l, enum variable_kind kind, const char *name,
                          struct source_range range, struct ir_type type, struct value value);
struct variable *lower_find_variable(struct lower *l, const char *name);
void lower_statement(struct lower *l, const struct ast_statement *s);
void lower_declare(struct lower *l, const struct ast_variable *variable);
/* Calls a static helper. */
struct value lower_inline(struct lower *l, struct source_range range,
                          const struct ast_function *function, struct value *arguments,
                          const struct source_range *ranges, int count);
/* Opens and closes a function's frame around its body. */
void lower_open_frame(struct lower *l, struct frame *frame, const struct ast_function *function);
void lower_close_frame(struct lower *l);

/* ---- lower_memory.c ---------------------------------------------------------------------- */

/* Stores to one element; at: the place of the address. */
void lower_scalar_store(struct lower *l, const struct ast_expression *e, struct source_range at,
                        struct value address, struct value v);

/* ---- lower_control.c --------------------------------------------------------------------- */

void lower_if(struct lower *l, const struct ast_statement *s);
/* if (condition) yield a() else yield b(): for ?: and short circuits. */
struct value lower_select(struct lower *l, const struct ast_expression *e, struct value condition,
                          struct value yes, struct ir_region *yes_region, struct value no,
                          struct ir_region *no_region);
/* Whether all ops of a region may run although the condition in front of them is false. */
bool lower_is_harmless(const struct ir_region *region);
/* Moves the ops of a detached region to the builder's place. */
void lower_splice(struct lower *l, struct ir_region *region);
/* Builds in a new detached region from now on; returns it, and where to go back to. */
struct ir_region *lower_open_region(struct lower *l, struct ir_builder *outside);
struct ir_op *lower_yield(struct lower *l, int count, struct ir_value *const *values);
/* Makes a detached region a region of the op. */
void lower_attach(struct ir_op *op, int index, struct ir_region *region);
/* The value in the form of a model: index, element, shape. */
struct value lower_conform(struct lower *l, struct value v, struct value model);
/* What two values of one variable become where they meet; false when they cannot. */
bool lower_join_types(struct value a, struct value b, struct value *model);
/* A value nobody sees, for a path that leaves a variable without one. */
struct value lower_filler(struct value model);
/* Whether v is the constant truth. */
bool lower_is_truth(struct value v, bool truth);

/* ---- lower_switch.c ---------------------------------------------------------------------- */

void lower_switch(struct lower *l, const struct ast_statement *s);

/* ---- lower_leave.c ----------------------------------------------------------------------- */

void lower_block(struct lower *l, struct ast_statement *const *items, int count);
void lower_leave_loop(struct lower *l, const struct ast_statement *s); /* break, continue */
/* Whether a variable around the loop has no value where its body is left. */
bool lower_is_left_without(const struct loop *loop, size_t index);
/* Ends the body of the innermost loop, where `continue` comes to, too. */
void lower_end_body(struct lower *l);
/* A statement behind the body of the innermost loop, to which `continue` goes, but neither break
 * nor return. */
void lower_behind_body(struct lower *l, const struct ast_statement *s);
void lower_return(struct lower *l, const struct ast_statement *s);
/* flags || the hidden variable at index. */
struct value lower_or_flag(struct lower *l, struct value flags, size_t index);

/* ---- lower_loop.c ------------------------------------------------------------------------ */

void lower_for(struct lower *l, const struct ast_statement *s);
void lower_while(struct lower *l, const struct ast_statement *s); /* while, do */

/* ---- lower_names.c ----------------------------------------------------------------------- */

/* Reports every unknown name in a function and the helpers that it calls. False: there was one. */
bool lower_check_names(struct lower *l, const struct ast_function *function);
/* The same for an expression at file scope that may name a kernel's parameters (kernel: or NULL).
 */
bool lower_check_expression(struct lower *l, const struct ast_function *kernel,
                            const struct ast_expression *e);
/* Indices of the variables around a loop that it assigns; has_break, has_return: whether it can end
 * early. */
struct loop_effects {
    int count;
    size_t *variables;
    bool has_break, has_continue, has_return;
    bool counter_assigned; /* the body of a for loop assigns what it counts by */
};
struct loop_effects lower_loop_effects(struct lower *l, const struct ast_statement *loop);
/* Of a for loop as one that counts: its counter, if that is all that it declares, is not yet one of
 * the variables. */
struct loop_effects lower_count_effects(struct lower *l, const struct ast_statement *loop);

/* ---- lower_call.c ------------------------------------------------------------------------ */

enum { BUILTIN_MAX_PARAMETERS = 4 };

struct call;

struct builtin {
    const char *name;
    struct value (*handle)(struct lower *l, struct call *call);
    int code;               /* enum ir_opcode, where the handler serves several */
    const char *parameters; /* see builtins.def */
    const char *result, *meaning;
};

struct argument {
    bool given;
    struct source_range range;
    const struct ast_argument *ast;
    struct value value;
    int64_t number;    /* constant, size, axis */
    enum ir_elem elem; /* type */
};

struct call {
    const struct builtin *builtin;
    const struct ast_expression *expression;
    struct source_range range;
    bool confused; /* an argument of another kind was reported: the others may be exchanged */
    struct argument arguments[BUILTIN_MAX_PARAMETERS];
    int rest_count; /* of a last parameter with "..." */
    struct argument *rest;
};

const struct builtin *lower_find_builtin(const char *name);
struct value lower_call(struct lower *l, const struct ast_expression *e);
/* Rank and sizes of a type from count arguments of kind size; false after an error. */
bool lower_sizes(struct lower *l, struct source_range range, const struct argument *sizes,
                 int count, struct ir_type *type);
/* The axis that a call names: call->arguments[index], else the default for x (-1 or the only one).
 * False after an error. */
bool lower_axis(struct lower *l, const struct call *call, int index, struct value x,
                bool all_by_default, int *axis);

#define BUILTIN_HANDLER(name) struct value lower_builtin_##name(struct lower *l, struct call *call)
#define BUILTIN(name, handler, op, parameters, result, meaning) BUILTIN_HANDLER(handler);
#include "lang/builtins.def"
#undef BUILTIN

/* ---- lower_math.c ------------------------------------------------------------------------ */

/* Whether the only argument is floating; false after an error. */
bool lower_floating_argument(struct lower *l, const struct call *call);
/* The first two arguments in their common floating type; two integers are computed in float. False
 * after an error. */
bool lower_floating_pair(struct lower *l, const struct call *call, struct value operands[2]);

/* ---- lower_shape.c ----------------------------------------------------------------------- */

/* v, of one axis, as that axis of the shape, for every other index of it. */
struct ir_value *lower_spread(struct lower *l, struct ir_value *v, struct ir_type shape, int axis);
/* The elements of v at the places along the axis, which are of that axis alone. */
struct ir_value *lower_gather(struct lower *l, struct ir_value *v, struct ir_value *places,
                              int axis);
/* The elements along an axis from the last one to the first. */
struct value lower_flip(struct lower *l, struct value x, int axis);

/* ---- lower_host.c ------------------------------------------------------------------------ */

/* The grid and the launch requirements of a kernel. */
void lower_launch(struct lower *l, struct ir_kernel *result, const struct ast_function *kernel,
                  const struct lang_binding *bindings, int binding_count);
void lower_requirements(struct lower *l, struct ir_kernel *result,
                        const struct ast_function *kernel, const struct lang_binding *bindings,
                        int binding_count, const char *const *extra, int extra_count);
/* static_require at file scope. */
void lower_static_requires(struct lower *l);

#endif
