/* oneDNN as a peer; see onednn.h. */
#include "bench/onednn.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdlib.h>

enum { MAX_MEMORIES = 6 };

struct onednn_primitive {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[MAX_MEMORIES];
    int argument_count;
};

static const dnnl_data_type_t types[] = {
    [ONEDNN_F32] = dnnl_f32, [ONEDNN_BF16] = dnnl_bf16, [ONEDNN_F16] = dnnl_f16};

static bool add_memory(struct onednn_primitive *p, int role, const dnnl_memory_desc_t *description,
                       void *data)
{
    dnnl_memory_t memory;
    if (dnnl_memory_create(&memory, description, p->engine, data) != dnnl_success)
        return false;
    p->arguments[p->argument_count++] = (dnnl_exec_arg_t){role, memory};
    return true;
}

static dnnl_status_t describe(dnnl_primitive_desc_t *out, enum onednn_op op, float epsilon,
                              const dnnl_memory_desc_t *data, dnnl_engine_t engine)
{
    if (op == ONEDNN_SOFTMAX) {
        dnnl_softmax_desc_t softmax;
        dnnl_softmax_forward_desc_init(&softmax, dnnl_forward_inference, data, 1);
        return dnnl_primitive_desc_create(out, &softmax, NULL, engine, NULL);
    }
    dnnl_layer_normalization_desc_t norm;
    dnnl_layer_normalization_forward_desc_init(&norm, dnnl_forward_inference, data, NULL, epsilon,
                                               dnnl_use_scale | dnnl_use_shift);
    return dnnl_primitive_desc_create(out, &norm, NULL, engine, NULL);
}

struct onednn_primitive *onednn_new(enum onednn_op op, enum onednn_type type, long rows, long width,
                                    void *in, void *out, float *scale, float *shift, float epsilon)
{
    struct onednn_primitive *p = calloc(1, sizeof *p);
    dnnl_memory_desc_t data, vector;
    dnnl_dims_t shape = {rows, width}, weights = {width};
    dnnl_primitive_desc_t description = NULL;
    bool fine =
        p && dnnl_engine_create(&p->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags) == dnnl_success &&
        dnnl_memory_desc_init_by_tag(&data, 2, shape, types[type], dnnl_ab) == dnnl_success &&
        dnnl_memory_desc_init_by_tag(&vector, 1, weights, dnnl_f32, dnnl_a) == dnnl_success &&
        describe(&description, op, epsilon, &data, p->engine) == dnnl_success &&
        dnnl_primitive_create(&p->primitive, description) == dnnl_success &&
        add_memory(p, DNNL_ARG_SRC, &data, in) && add_memory(p, DNNL_ARG_DST, &data, out) &&
        (op == ONEDNN_SOFTMAX || (add_memory(p, DNNL_ARG_SCALE, &vector, scale) &&
                                  add_memory(p, DNNL_ARG_SHIFT, &vector, shift)));
    if (description)
        dnnl_primitive_desc_destroy(description);
    if (fine)
        return p;
    onednn_free(p);
    return NULL;
}

bool onednn_run(struct onednn_primitive *p)
{
    return dnnl_primitive_execute(p->primitive, p->stream, p->argument_count, p->arguments) ==
               dnnl_success &&
           dnnl_stream_wait(p->stream) == dnnl_success;
}

void onednn_free(struct onednn_primitive *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->argument_count; i++)
        dnnl_memory_destroy(p->arguments[i].memory);
    if (p->primitive)
        dnnl_primitive_destroy(p->primitive);
    if (p->stream)
        dnnl_stream_destroy(p->stream);
    if (p->engine)
        dnnl_engine_destroy(p->engine);
    free(p);
}
