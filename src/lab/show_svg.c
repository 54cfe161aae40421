/*
 * A record as a chart: a panel for device time and one for wall time, a row for each speed-up on a
 * logarithmic axis, every round a tick, a line at parity, dashed lines at the guards, a band for the
 * noise floor. Texts are texts, so that numbers can be selected. What lines mean is said above the
 * rows, not beside the lines, which may lie close together.
 */
#include "lab/show.h"

#include <math.h>
#include <string.h>

/* Sizes in px. */
enum {
    ROW = 17,
    GROUP_GAP = 7,
    PLOT_WIDTH = 230,
    VALUE_WIDTH = 88,
    MARGIN = 10,
    TITLE = 22,
    LEGEND_ROW = 16,
    AXIS = 24,
    LEAST_WIDTH = 440, /* for the legend's texts */
    MAX_LABEL = 34     /* characters */
};
static const double CHARACTER = 6.7; /* widest digit of the fonts below at 11 px */

const char show_svg_style[] =
    ".lab{--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;--paper:#ffffff;--good:#0b62c4;"
    "--bad:#b42318;--band:#e9eef5;--guard:#9a6700}\n"
    "@media (prefers-color-scheme:dark){.lab{--ink:#e6edf3;--soft:#9aa4af;--line:#363d46;"
    "--paper:#0f1318;--good:#6cb6ff;--bad:#ff8a80;--band:#222a34;--guard:#e3b341}}\n"
    ".lab text{font:11px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;"
    "fill:var(--ink)}\n"
    ".lab .title{font-weight:bold;font-size:12px}\n"
    ".lab .soft{fill:var(--soft)}\n"
    ".lab .bad{fill:var(--bad)}\n"
    ".lab .paper{fill:var(--paper)}\n"
    ".lab .band{fill:var(--band)}\n"
    ".lab .grid{stroke:var(--line);stroke-width:1}\n"
    ".lab .parity{stroke:var(--ink);stroke-width:1.5}\n"
    ".lab .guard{stroke:var(--guard);stroke-width:1.5;stroke-dasharray:5 3}\n"
    ".lab .guard.second{stroke-dasharray:2 3}\n"
    ".lab .spread{stroke:var(--good);stroke-width:1.5;opacity:.75}\n"
    ".lab .dot{fill:var(--good)}\n"
    ".lab .spread.bad{stroke:var(--bad)}\n"
    ".lab .dot.bad{fill:var(--bad)}\n";

void show_escape(const char *string, struct text *out)
{
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        switch (c) {
        case '<': text_string(out, "&lt;"); break;
        case '>': text_string(out, "&gt;"); break;
        case '&': text_string(out, "&amp;"); break;
        case '"': text_string(out, "&quot;"); break;
        case '\'': text_string(out, "&#39;"); break;
        default:
            if (c >= 0x20 || c == '\n' || c == '\t')
                text_char(out, (char)c);
        }
    }
}

/* ---- the axis -------------------------------------------------------------------------------- */

struct axis {
    double low, high;         /* logarithms */
    double left, top, bottom; /* px */
};

static double x_of(const struct axis *axis, double speedup)
{
    double share = (log(speedup) - axis->low) / (axis->high - axis->low);
    return axis->left + fmin(fmax(share, 0), 1) * PLOT_WIDTH;
}

static void include_value(struct axis *axis, double speedup)
{
    axis->low = fmin(axis->low, log(speedup));
    axis->high = fmax(axis->high, log(speedup));
}

static struct axis make_axis(const struct show_model *model, int panel)
{
    struct axis axis = {.low = -0.04, .high = 0.04};
    for (size_t g = 0; g < model->groups.count; g++) {
        const struct show_group *group = &model->groups.items[g];
        for (size_t i = 0; i < group->count; i++) {
            const struct show_value *value = &group->items[i].values[panel];
            if (value->present)
                include_value(&axis, value->value);
            for (size_t r = 0; value->present && r < value->round_count; r++)
                if (value->rounds[r] > 1e-6 && value->rounds[r] < 1e6)
                    include_value(&axis, value->rounds[r]);
        }
    }
    for (size_t i = 0; i < model->guard_count[panel]; i++)
        if (model->guards[panel][i].speedup > 1e-6 && model->guards[panel][i].speedup < 1e6)
            include_value(&axis, model->guards[panel][i].speedup);
    double edge = 0.06 * (axis.high - axis.low);
    axis.low -= edge;
    axis.high += edge;
    return axis;
}

/* Round speed-ups whose labels keep apart. */
static void put_ticks(const struct axis *axis, struct text *out)
{
    static const double steps[] = {1,    1.05, 0.95, 1.1, 0.9, 1.25, 0.8, 1.5, 0.67, 2,  0.5,
                                   3,    0.33, 4,    0.25, 5,  0.2,  10,  0.1, 20,   50, 100,
                                   0.05, 0.01, 1000, 1e-3, 1e4, 1e-4, 1.02, 0.98, 1.01, 0.99};
    double placed[sizeof steps / sizeof *steps];
    size_t count = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        double x = x_of(axis, steps[i]);
        bool fits = log(steps[i]) >= axis->low && log(steps[i]) <= axis->high;
        for (size_t k = 0; k < count; k++)
            fits = fits && fabs(placed[k] - x) > 6 * CHARACTER;
        if (!fits)
            continue;
        placed[count++] = x;
        text_format(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                    x, axis->top, x, axis->bottom);
        text_format(out, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n",
                    x, axis->bottom + 15, steps[i]);
    }
}

static void put_line(const struct axis *axis, const char *class, double speedup, struct text *out)
{
    double x = x_of(axis, speedup);
    text_format(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
                x, axis->top, x, axis->bottom);
}

/* ---- the legend ------------------------------------------------------------------------------ */

static size_t legend_rows(const struct show_model *model, int panel)
{
    return 2 + model->guard_count[panel] + (model->noise[panel] > 1);
}

static double put_legend_row(double y, const char *sample, const char *class, const char *text,
                             struct text *out)
{
    if (strcmp(sample, "line") == 0)
        text_format(out, "<line class=\"%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", class,
                    MARGIN, y - 4, MARGIN + 26, y - 4);
    else if (strcmp(sample, "band") == 0)
        text_format(out, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"26\" height=\"11\"/>\n",
                    class, MARGIN, y - 9);
    else
        text_format(out,
                    "<line class=\"spread\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                    "<circle class=\"dot\" cx=\"%d\" cy=\"%.1f\" r=\"3.5\"/>\n",
                    MARGIN, y - 4, MARGIN + 26, y - 4, MARGIN + 13, y - 4);
    text_format(out, "<text class=\"soft\" x=\"%d\" y=\"%.1f\">", MARGIN + 34, y);
    show_escape(text, out);
    text_string(out, "</text>\n");
    return y + LEGEND_ROW;
}

static void put_legend(const struct show_model *model, int panel, double y, struct text *out)
{
    y = put_legend_row(y, "dot", "", "speed-up, and each round", out);
    y = put_legend_row(y, "line", "parity", "parity", out);
    for (size_t i = 0; i < model->guard_count[panel]; i++) {
        const struct show_guard *guard = &model->guards[panel][i];
        y = put_legend_row(y, "line", i ? "guard second" : "guard",
                           arena_format(model->arena, "%.3f: %s", guard->speedup, guard->text), out);
    }
    if (model->noise[panel] > 1)
        put_legend_row(y, "band", "band",
                       arena_format(model->arena, "noise floor: equal arms up to %.3fx apart",
                                    model->noise[panel]),
                       out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static size_t characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* A group of one line needs no heading of its own. */
static bool has_heading(const struct show_group *group)
{
    return group->count != 1 || group->note;
}

static double label_width(const struct show_model *model)
{
    size_t longest = 4;
    for (size_t g = 0; g < model->groups.count; g++) {
        const struct show_group *group = &model->groups.items[g];
        size_t length = has_heading(group) ? 0 : characters(group->label);
        longest = length > longest ? length : longest;
        for (size_t i = 0; has_heading(group) && i < group->count; i++) {
            length = characters(group->items[i].label) + 2 +
                     (group->items[i].chosen ? strlen(" (chosen)") : 0);
            longest = length > longest ? length : longest;
        }
    }
    return (double)(longest < MAX_LABEL ? longest : MAX_LABEL) * CHARACTER + 2 * MARGIN;
}

/* At most `most` characters, with dots for the rest. */
static void put_short(const char *text, size_t most, struct text *out)
{
    if (characters(text) <= most) {
        show_escape(text, out);
        return;
    }
    size_t bytes = 0, count = 0;
    while (text[bytes] && count < most - 1) {
        bytes++;
        if (((unsigned char)text[bytes] & 0xc0) != 0x80)
            count++;
    }
    show_escape(arena_copy_text(out->arena, text, bytes), out);
    text_string(out, "\xe2\x80\xa6");
}

static void put_heading(const struct show_model *model, const struct show_group *group, double y,
                        double width, struct text *out)
{
    size_t room = (size_t)((width - 2 * MARGIN) / CHARACTER) - 1;
    (void)model;
    text_format(out, "<text class=\"title\" x=\"%d\" y=\"%.1f\">", MARGIN, y);
    put_short(group->label, room, out);
    text_string(out, "</text>\n");
    /* Bold letters of 12 px are wider. */
    double x = MARGIN + ((double)characters(group->label) + 2) * CHARACTER * 1.15;
    size_t left = x < width - MARGIN ? (size_t)((width - MARGIN - x) / CHARACTER) : 0;
    if (!group->note || left < 4)
        return;
    text_format(out, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">", x, y);
    put_short(group->note, left, out);
    text_string(out, "</text>\n");
}

static void put_value(const struct axis *axis, const struct show_value *value, double y,
                      struct text *out)
{
    const char *bad = value->fails ? " bad" : "";
    double least = value->value, most = value->value;
    for (size_t i = 0; i < value->round_count; i++) {
        least = fmin(least, value->rounds[i]);
        most = fmax(most, value->rounds[i]);
    }
    text_format(out, "<line class=\"spread%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                bad, x_of(axis, least), y - 4, x_of(axis, most), y - 4);
    for (size_t i = 0; i < value->round_count; i++) {
        double x = x_of(axis, value->rounds[i]);
        text_format(out,
                    "<line class=\"spread%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                    bad, x, y - 8, x, y);
    }
    text_format(out, "<circle class=\"dot%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", bad,
                x_of(axis, value->value), y - 4);
}

static void put_row(const struct axis *axis, const struct show_line *line, int panel,
                    const char *label, double indent, double y, struct text *out)
{
    const struct show_value *value = &line->values[panel];
    text_format(out, "<text x=\"%.1f\" y=\"%.1f\">", MARGIN + indent, y);
    put_short(label, MAX_LABEL - 2, out);
    text_string(out, line->chosen ? " (chosen)</text>\n" : "</text>\n");
    if (!value->present) {
        text_format(out, "<text class=\"soft\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                    axis->left + PLOT_WIDTH + MARGIN, y, line->note ? line->note : "-");
        return;
    }
    put_value(axis, value, y, out);
    text_format(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">%.3f%s</text>\n",
                value->fails ? "bad" : "", axis->left + PLOT_WIDTH + MARGIN, y, value->value,
                value->fails ? " fails" : "");
}

static double rows_height(const struct show_model *model)
{
    double height = 0;
    for (size_t g = 0; g < model->groups.count; g++) {
        const struct show_group *group = &model->groups.items[g];
        height += (double)ROW * (double)(group->count + has_heading(group)) +
                  (has_heading(group) ? GROUP_GAP : 0);
    }
    return height;
}

static void put_rows(const struct show_model *model, int panel, const struct axis *axis,
                     double width, struct text *out)
{
    double y = axis->top + ROW - 4;
    for (size_t g = 0; g < model->groups.count; g++) {
        const struct show_group *group = &model->groups.items[g];
        bool heading = has_heading(group);
        if (heading) {
            y += GROUP_GAP;
            put_heading(model, group, y, width, out);
            y += ROW;
        }
        for (size_t i = 0; i < group->count; i++, y += ROW) {
            const struct show_line *line = &group->items[i];
            put_row(axis, line, panel, heading ? line->label : group->label,
                    heading ? 2 * CHARACTER : 0, y, out);
        }
    }
}

/* ---- panels ---------------------------------------------------------------------------------- */

struct size {
    double width, height;
};

/* Legends start at the same height in both panels. */
static double top_of(const struct show_model *model)
{
    size_t rows = 0;
    for (int p = 0; p < SHOW_PANELS; p++)
        if (model->panels[p] && legend_rows(model, p) > rows)
            rows = legend_rows(model, p);
    return TITLE + (double)LEGEND_ROW * (double)rows + MARGIN;
}

static struct size size_of_panel(const struct show_model *model)
{
    double width = label_width(model) + PLOT_WIDTH + VALUE_WIDTH;
    return (struct size){fmax(width, LEAST_WIDTH), top_of(model) + rows_height(model) + AXIS + MARGIN};
}

static void put_panel(const struct show_model *model, int panel, struct text *out)
{
    struct size size = size_of_panel(model);
    struct axis axis = make_axis(model, panel);
    axis.left = size.width - PLOT_WIDTH - VALUE_WIDTH;
    axis.top = top_of(model);
    axis.bottom = axis.top + rows_height(model);
    text_format(out, "<text class=\"title\" x=\"%d\" y=\"16\">%s: control / candidate</text>\n",
                MARGIN, model->panel_titles[panel]);
    put_legend(model, panel, TITLE + 13, out);
    if (model->noise[panel] > 1) {
        double left = x_of(&axis, 1 / model->noise[panel]);
        text_format(out,
                    "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                    left, axis.top, x_of(&axis, model->noise[panel]) - left, axis.bottom - axis.top);
    }
    put_ticks(&axis, out);
    put_line(&axis, "parity", 1, out);
    for (size_t i = 0; i < model->guard_count[panel]; i++)
        put_line(&axis, i ? "guard second" : "guard", model->guards[panel][i].speedup, out);
    put_rows(model, panel, &axis, size.width, out);
}

void show_svg_panel(const struct show_model *model, int panel, struct text *out)
{
    struct size size = size_of_panel(model);
    text_format(out,
                "<svg class=\"lab\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n",
                size.width, size.height, size.width, size.height, model->panel_titles[panel]);
    put_panel(model, panel, out);
    text_string(out, "</svg>\n");
}

void show_svg(const struct show_model *model, struct text *out)
{
    struct size size = size_of_panel(model);
    int count = model->panels[SHOW_DEVICE] + model->panels[SHOW_WALL];
    double width = size.width * (count ? count : 1), height = size.height + 2 * TITLE, x = 0;
    text_format(out,
                "<svg class=\"lab\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<style>%s</style>\n",
                width, height, width, height, show_svg_style);
    text_format(out, "<rect class=\"paper\" width=\"%.0f\" height=\"%.0f\"/>\n", width, height);
    text_format(out, "<text class=\"title\" x=\"%d\" y=\"18\">", MARGIN);
    put_short(model->title, 60, out);
    text_string(out, "</text>\n");
    if (model->verdict) {
        text_format(out, "<text x=\"%d\" y=\"35\">", MARGIN);
        put_short(model->verdict, 60, out);
        text_string(out, "</text>\n");
    }
    for (int p = 0; p < SHOW_PANELS; p++) {
        if (!model->panels[p])
            continue;
        text_format(out, "<g transform=\"translate(%.0f %d)\">\n", x, 2 * TITLE);
        put_panel(model, p, out);
        text_string(out, "</g>\n");
        x += size.width;
    }
    text_string(out, "</svg>\n");
}
