#ifndef TILEC_LANG_LANG_H
#define TILEC_LANG_LANG_H
/*
 * The front end: kernel text -> Tile IR, in two steps.
 *
 *   lang_parse   text -> a unit: preprocessed, parsed, its kernels listed with their parameters
 *   lang_lower   a kernel of the unit + values for its constexpr parameters -> Tile IR
 *
 * Everything lives in the arena that lang_parse was given. Errors go to the diagnostics; a step
 * that added an error returns NULL. A unit is read-only after parsing.
 */
#include "base/diagnostics.h"
#include "ir/ir.h"

/* -D NAME=VALUE: sets a constexpr parameter of that name where a kernel has one, or fixes an
 * ordinary scalar; and defines a macro that the text may test with #ifdef and use (T=half). */
struct lang_define {
    const char *name, *value;
};

/* Reads an #include "file" next to the kernel. Returns false when it cannot; then message says why. */
struct lang_includer {
    bool (*read)(void *user, struct arena *arena, const char *including_file, const char *name,
                 struct source_file *out, const char **message);
    void *user; /* read NULL: every include but <tilec/kernel.h> is an error */
};

struct lang_parameter {
    const char *name;
    enum ir_elem elem;
    bool pointer, is_const, is_restrict, is_constexpr, is_layout; /* layout_t: constexpr layouts */
    bool is_fixed; /* an ordinary scalar that a define fixes */
    struct source_range range;
};

struct lang_kernel {
    const char *name;
    struct source_range range;
    int parameter_count;
    struct lang_parameter *parameters; /* all, constexpr ones included, in order */
    int tune_count; /* tune(kernel, PARAM, candidates...) lines */
    const struct lang_tune *tunes;
};

struct ast_expression;
struct lang_tune {
    const char *parameter; /* a constexpr parameter or the name of a requirement */
    int candidate_count;
    struct ast_expression *const *candidates;
    struct source_range range;
};

struct lang_unit {
    struct arena *arena;
    const struct source_file *file;
    int kernel_count;
    struct lang_kernel *kernels;
    struct ast_unit *ast;
};

struct lang_unit *lang_parse(struct arena *arena, struct diagnostics *diagnostics,
                             const struct source_file *file, const struct lang_define *defines,
                             int define_count, struct lang_includer includer);

/* NULL when there is none; a NULL name means the only kernel, or the first. */
const struct lang_kernel *lang_find_kernel(const struct lang_unit *unit, const char *name);

/* Values for names, in lowering (constexpr parameters, and scalars to fix) and evaluating. */
struct lang_binding {
    const char *name;
    int64_t value;
};

/* Value of candidate c of tune line t; expressions may use constexprs and scalars in bindings. */
bool lang_tune_value(const struct lang_unit *unit, const struct lang_tune *tune, int candidate,
                     const struct lang_binding *bindings, int binding_count, int64_t *value);

/* What a define says of the kernel's parameter, constexpr or not; false where it says no integer.
 */
bool lang_define_value(const struct lang_unit *unit, const struct lang_kernel *kernel,
                       int parameter, int64_t *value);

/* Values for the constexpr parameters that neither known (constexprs and scalars of a launch) nor a
 * define sets: the first combination of candidates that the kernel's launch_require lines accept,
 * or just the first. What has no tune line, or candidates that known does not determine, is left
 * out. The names are the kernel's. */
void lang_tune_choose(const struct lang_unit *unit, const struct lang_kernel *kernel,
                      const struct lang_binding *known, int known_count,
                      struct lang_binding **chosen, int *count);

struct lang_candidate {
    int constant_count, count; /* values: of constexpr parameters, then of requirements */
    struct lang_binding *values;
};

/*
 * Every combination that launch_require accepts, requirements' tune lines included, each once: first
 * what lang_tune_choose gives, without requirements, then in declared order. More than `most`: one
 * more is in the list, which is then not whole. The number in the list. requirements: "NAME=VALUE",
 * which are not tuned.
 */
int lang_tune_candidates(const struct lang_unit *unit, const struct lang_kernel *kernel,
                         const struct lang_binding *known, int known_count,
                         const char *const *requirements, int requirement_count, int most,
                         struct lang_candidate **candidates);

/* Every constexpr parameter must be bound, by a binding or a define given to lang_parse, else it is
 * an error that names it. extra_requirements: from --require, "name=value". */
struct ir_kernel *lang_lower(struct lang_unit *unit, struct diagnostics *diagnostics,
                             const struct lang_kernel *kernel, const struct lang_binding *bindings,
                             int binding_count, const char *const *extra_requirements,
                             int extra_requirement_count);

/* A grid written on the command line: up to three expressions over the kernel's scalars and
 * constexprs. text is parsed as a file named "<grid>". */
struct ir_func *lang_lower_grid(struct lang_unit *unit, struct diagnostics *diagnostics,
                                const struct lang_kernel *kernel,
                                const struct lang_binding *bindings, int binding_count,
                                const char *text);

/* The syntax tree as indented text, for emit --stage ast. */
void lang_print(const struct lang_unit *unit, struct text *out);

#endif
