/* tilec lab show; see show.h. */
#include "lab/show.h"
#include "lab/call.h"

struct request {
    const char *path;
    tilec_lab_format format;
};

static void work(struct lab_call *call)
{
    static void (*const put[])(const struct show_model *model, struct text *out) = {
        [TILEC_LAB_TABLE] = show_text, [TILEC_LAB_SVG] = show_svg, [TILEC_LAB_HTML] = show_html};
    const struct request *request = call->arguments;
    const char *error = NULL;
    struct show_model model;
    json_t *record = lab_call_read(call, request->path, NULL, NULL);
    if (!record)
        return;
    if (!show_model_make(&call->arena, record, request->path, &model, &error)) {
        lab_call_fail(call, TILEC_ERROR_IO, "'%s' %s", request->path, error);
        return;
    }
    put[request->format](&model, &call->out);
}

tilec_status tilec_lab_show(const char *record, tilec_lab_format format, tilec_lab_text *text)
{
    if (!record || (unsigned)format > TILEC_LAB_HTML)
        return TILEC_ERROR_INVALID;
    struct request request = {record, format};
    return lab_call_run(work, &request, text);
}
