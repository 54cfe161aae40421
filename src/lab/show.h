#ifndef TILEC_LAB_SHOW_H
#define TILEC_LAB_SHOW_H
/*
 * Showing a record. Records of every kind become one model, which is drawn in three ways:
 *
 *   show.c         tilec_lab_show
 *   show_model.c   a record -> groups of lines with speed-ups, guards, facts
 *   show_text.c    the model as a table for a terminal
 *   show_svg.c     as a chart
 *   show_html.c    as a page that needs nothing else: charts and every round
 */
#include "base/text.h"

#include <jansson.h>

enum { SHOW_DEVICE, SHOW_WALL, SHOW_PANELS, SHOW_MAX_GUARDS = 3 };

/* One speed-up with its spread: control / candidate, above 1 is faster. */
struct show_value {
    bool present, fails; /* fails: a guard of the record's gate */
    double value;
    double candidate, control; /* us; 0: the record does not say */
    size_t round_count;
    const double *rounds;
};

struct show_line {
    const char *label; /* what the candidate is compared with, or the variant */
    bool chosen;
    const char *note; /* NULL, or a remark such as why there is nothing to show */
    struct show_value values[SHOW_PANELS];
};

struct show_group {
    const char *label; /* the case */
    const char *note;
    size_t count, capacity;
    struct show_line *items;
};

struct show_guard {
    double speedup;
    const char *text;
};

struct show_fact {
    const char *name, *value;
};

struct show_model {
    struct arena *arena;
    const char *title, *verdict;
    const char *group_word, *line_word; /* "case", "against" */
    struct {
        struct show_fact *items;
        size_t count, capacity;
    } facts;
    bool panels[SHOW_PANELS];
    const char *panel_titles[SHOW_PANELS];
    double noise[SHOW_PANELS]; /* ratio of the noise floor, or 0 */
    size_t guard_count[SHOW_PANELS];
    struct show_guard guards[SHOW_PANELS][SHOW_MAX_GUARDS];
    struct {
        struct show_group *items;
        size_t count, capacity;
    } groups;
};

/* Everything is in the arena; texts of the record are used in place. False after a message in *error:
 * it is no record of a kind that can be shown. */
bool show_model_make(struct arena *arena, const json_t *record, const char *path,
                     struct show_model *model, const char **error);

void show_text(const struct show_model *model, struct text *out);
void show_svg(const struct show_model *model, struct text *out);
void show_html(const struct show_model *model, struct text *out);

/* Characters that mean something in XML are escaped, control characters left out. */
void show_escape(const char *string, struct text *out);
/* One panel as an <svg> element of its own, and its rules for colours. */
void show_svg_panel(const struct show_model *model, int panel, struct text *out);
extern const char show_svg_style[];

#endif
