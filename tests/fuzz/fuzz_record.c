/* Records and experiments: any bytes are refused or read; verifying and showing never fail on what is
 * read, and a record has the same canonical text when that text is read again. */
#include "base/json_text.h"
#include "lab/experiment.h"
#include "lab/show.h"
#include "lab/verify.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_canonical(struct arena *arena, const json_t *json)
{
    const char *error = NULL, *text = json_text_canonical(arena, json, NULL);
    json_t *again = json_text_load(arena, text, strlen(text), &error);
    if (!again || strcmp(json_text_canonical(arena, again, NULL), text) != 0)
        abort();
    json_decref(again);
}

static void check_record(struct arena *arena, const json_t *json)
{
    const char *error = NULL;
    struct text out;
    struct show_model model;
    struct verify v = {.arena = arena, .root = json, .path = "", .most_elements = 4096};
    if (verify_record(&v, &error) && !v.problem_count) {
        verify_unconfirmed(&v, false);
        verify_unconfirmed(&v, true);
    }
    text_init(&out, arena);
    if (!show_model_make(arena, json, "record", &model, &error))
        return;
    show_text(&model, &out);
    show_svg(&model, &out);
    show_html(&model, &out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena;
    jmp_buf failure;
    const char *error = NULL;
    struct lab_experiment experiment;
    arena_init(&arena, allocator_default, &failure);
    arena.limit = 256 << 20;
    json_t *volatile json = NULL;
    if (!setjmp(failure)) {
        json = json_text_load(&arena, (const char *)bytes, size, &error);
        if (json) {
            check_canonical(&arena, json);
            check_record(&arena, json);
            if (lab_experiment_read(&arena, "lab/x.json", json_incref(json), &experiment, &error))
                lab_experiment_close(&experiment);
        }
    }
    json_decref(json);
    arena_free(&arena);
    return 0;
}
