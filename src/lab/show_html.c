/* A record as a page that needs nothing else: facts, charts, and every round as text; see show.h. */
#include "lab/show.h"

static const char page_style[] =
    ":root{color-scheme:light dark}\n"
    "body{margin:0 auto;max-width:1240px;padding:16px;background:var(--paper);color:var(--ink);"
    "font:14px/1.45 system-ui,'DejaVu Sans','Liberation Sans',sans-serif}\n"
    "h1{font-size:20px;margin:0 0 4px;overflow-wrap:anywhere}h2{font-size:16px;margin:24px 0 8px}\n"
    ".verdict{font-weight:bold;margin:0 0 12px}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:0 0 16px}\n"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    ".charts{display:flex;flex-wrap:wrap;gap:20px}.charts svg{max-width:100%;height:auto}\n"
    ".wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:right;padding:3px 10px;border-bottom:1px solid var(--line);"
    "white-space:nowrap}\n"
    "th{color:var(--soft);font-weight:normal;vertical-align:bottom}\n"
    "th:nth-child(-n+2),td:nth-child(-n+2){text-align:left}\n"
    "td.bad{color:var(--bad)}td.rounds{color:var(--soft)}\n"
    "p{color:var(--soft);max-width:70ch}\n";

static void put_element(const char *open, const char *text, const char *close, struct text *out)
{
    text_string(out, open);
    show_escape(text, out);
    text_string(out, close);
}

static void put_facts(const struct show_model *model, struct text *out)
{
    text_string(out, "<dl>\n");
    for (size_t i = 0; i < model->facts.count; i++) {
        put_element("<dt>", model->facts.items[i].name, "</dt>", out);
        put_element("<dd>", model->facts.items[i].value, "</dd>\n", out);
    }
    text_string(out, "</dl>\n");
}

/* ---- every round ----------------------------------------------------------------------------- */

static void put_head(const struct show_model *model, struct text *out)
{
    put_element("<thead><tr><th>", model->group_word, "</th><th>", out);
    put_element("", model->line_word, "</th>", out);
    for (int p = 0; p < SHOW_PANELS; p++)
        if (model->panels[p])
            text_format(out,
                        "<th>%s<br>speed-up</th><th>each round</th><th>control<br>us</th>"
                        "<th>candidate<br>us</th>",
                        model->panel_titles[p]);
    text_string(out, "</tr></thead>\n");
}

static void put_time(double time, struct text *out)
{
    text_string(out, "<td>");
    if (time > 0)
        text_measured(out, time);
    text_string(out, "</td>");
}

static void put_value(const struct show_value *value, struct text *out)
{
    if (!value->present) {
        text_string(out, "<td>-</td><td></td><td></td><td></td>");
        return;
    }
    text_format(out, "<td%s>%.4f%s</td><td class=\"rounds\">", value->fails ? " class=\"bad\"" : "",
                value->value, value->fails ? " fails" : "");
    for (size_t i = 0; i < value->round_count; i++)
        text_format(out, "%s%.4f", i ? " " : "", value->rounds[i]);
    text_string(out, "</td>");
    put_time(value->control, out);
    put_time(value->candidate, out);
}

static void put_group(const struct show_model *model, const struct show_group *group,
                      struct text *out)
{
    for (size_t i = 0; i < group->count; i++) {
        const struct show_line *line = &group->items[i];
        put_element("<tr><td>", i ? "" : group->label, "</td><td>", out);
        show_escape(line->label, out);
        text_string(out, line->chosen ? " (chosen)</td>" : "</td>");
        for (int p = 0; p < SHOW_PANELS; p++)
            if (model->panels[p])
                put_value(&line->values[p], out);
        text_string(out, "</tr>\n");
    }
    if (!group->note)
        return;
    put_element("<tr><td>", group->count ? "" : group->label, "</td>", out);
    text_format(out, "<td colspan=\"%d\">", 1 + 4 * (model->panels[0] + model->panels[1]));
    put_element("", group->note, "</td></tr>\n", out);
}

static void put_table(const struct show_model *model, struct text *out)
{
    text_string(out, "<h2>All figures</h2>\n<div class=\"wide\"><table>\n");
    put_head(model, out);
    text_string(out, "<tbody>\n");
    for (size_t g = 0; g < model->groups.count; g++)
        put_group(model, &model->groups.items[g], out);
    text_string(out, "</tbody></table></div>\n");
}

void show_html(const struct show_model *model, struct text *out)
{
    text_string(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n");
    put_element("<title>", model->title, "</title>\n", out);
    text_format(out, "<style>\n%s%s</style>\n</head>\n<body class=\"lab\">\n", show_svg_style,
                page_style);
    put_element("<h1>", model->title, "</h1>\n", out);
    if (model->verdict)
        put_element("<div class=\"verdict\">", model->verdict, "</div>\n", out);
    put_facts(model, out);
    text_string(out, "<div class=\"charts\">\n");
    for (int p = 0; p < SHOW_PANELS; p++)
        if (model->panels[p])
            show_svg_panel(model, p, out);
    text_string(out, "</div>\n");
    put_table(model, out);
    text_string(out, "<p>A speed-up is control / candidate: above 1 the candidate is faster. It is the "
                     "geometric mean of the rounds; the line in the chart reaches from the least "
                     "round to the greatest.</p>\n</body>\n</html>\n");
}
