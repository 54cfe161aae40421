/* A record as a table for a terminal; see show.h. */
#include "lab/show.h"

#include <math.h>
#include <string.h>

/* Cells of a row in order; columns are as wide as their widest cell. */
enum { MAX_COLUMNS = 2 + 3 * SHOW_PANELS + 1 };

struct table {
    struct arena *arena;
    size_t columns, count, capacity;
    struct row {
        const char *cells[MAX_COLUMNS];
    } *items;
};

static void add_row(struct table *table, const struct row *row)
{
    ARENA_PUSH(table->arena, table, *row);
}

static const char *times_text(const struct table *table, const struct show_value *value)
{
    if (!value->candidate || !value->control)
        return "";
    struct text text;
    text_init(&text, table->arena);
    text_measured(&text, value->control);
    text_string(&text, " / ");
    text_measured(&text, value->candidate);
    return text.items;
}

static const char *spread_text(const struct table *table, const struct show_value *value)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < value->round_count; i++) {
        least = fmin(least, value->rounds[i]);
        most = fmax(most, value->rounds[i]);
    }
    if (value->round_count < 2)
        return "";
    return arena_format(table->arena, "%.3f..%.3f", least, most);
}

static const char *speedup_text(const struct table *table, const struct show_value *value)
{
    if (!value->present)
        return "-";
    return arena_format(table->arena, "%.3f%s", value->value, value->fails ? " fails" : "");
}

static size_t put_values(const struct show_model *model, struct table *table,
                         const struct show_line *line, struct row *row, size_t column)
{
    for (int p = 0; p < SHOW_PANELS; p++) {
        if (!model->panels[p])
            continue;
        row->cells[column++] = speedup_text(table, &line->values[p]);
        row->cells[column++] = spread_text(table, &line->values[p]);
        row->cells[column++] = times_text(table, &line->values[p]);
    }
    return column;
}

static void add_head(const struct show_model *model, struct table *table)
{
    struct row row = {{model->group_word, model->line_word}};
    size_t column = 2;
    for (int p = 0; p < SHOW_PANELS; p++) {
        if (!model->panels[p])
            continue;
        row.cells[column++] = model->panel_titles[p];
        row.cells[column++] = "rounds";
        row.cells[column++] = "control / candidate us";
    }
    row.cells[column++] = "";
    table->columns = column;
    add_row(table, &row);
}

static void add_group(const struct show_model *model, struct table *table,
                      const struct show_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct show_line *line = &group->items[i];
        struct row row = {{i ? "" : group->label, line->label}};
        size_t column = put_values(model, table, line, &row, 2);
        row.cells[column] = i == 0 && group->note ? group->note : line->chosen ? "chosen" : "";
        add_row(table, &row);
    }
    if (!group->count) {
        struct row row = {{group->label, group->note ? group->note : "-"}};
        add_row(table, &row);
    }
}

static void put_table(const struct table *table, struct text *out)
{
    size_t widths[MAX_COLUMNS] = {0};
    for (size_t r = 0; r < table->count; r++)
        for (size_t c = 0; c < table->columns; c++) {
            const char *cell = table->items[r].cells[c];
            size_t length = cell ? strlen(cell) : 0;
            /* A remark in place of figures may stick out. */
            if (cell && length > widths[c] && (c + 1 == table->columns || table->items[r].cells[c + 1]))
                widths[c] = length;
        }
    for (size_t r = 0; r < table->count; r++) {
        size_t used = 0, last = 0;
        for (size_t c = 0; c < table->columns; c++)
            if (table->items[r].cells[c] && table->items[r].cells[c][0])
                last = c;
        for (size_t c = 0; c <= last; c++, used = 0) {
            const char *cell = table->items[r].cells[c] ? table->items[r].cells[c] : "";
            text_string(out, cell);
            used = strlen(cell);
            for (; c < last && used < widths[c] + 2; used++)
                text_char(out, ' ');
        }
        text_char(out, '\n');
    }
}

void show_text(const struct show_model *model, struct text *out)
{
    struct table table = {.arena = model->arena};
    text_format(out, "%s\n", model->title);
    if (model->verdict)
        text_format(out, "%s\n", model->verdict);
    for (size_t i = 0; i < model->facts.count; i++)
        text_format(out, "%s: %s\n", model->facts.items[i].name, model->facts.items[i].value);
    text_char(out, '\n');
    add_head(model, &table);
    for (size_t i = 0; i < model->groups.count; i++)
        add_group(model, &table, &model->groups.items[i]);
    put_table(&table, out);
    if (model->panels[SHOW_DEVICE] || model->panels[SHOW_WALL])
        text_string(out,
                    "\nspeed-ups are control / candidate: above 1 the candidate is faster\n");
    for (int p = 0; p < SHOW_PANELS; p++) {
        for (size_t i = 0; model->panels[p] && i < model->guard_count[p]; i++)
            text_format(out, "guard on %s: %s (speed-up %.3f)\n", model->panel_titles[p],
                        model->guards[p][i].text, model->guards[p][i].speedup);
        if (model->noise[p])
            text_format(out, "noise floor of %s: equal arms look up to %.3fx apart\n",
                        model->panel_titles[p], model->noise[p]);
    }
}
