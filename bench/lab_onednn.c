/*
 * oneDNN 2 (Debian's libdnnl-dev) as an arm of lab experiments: the matrix product, for comparators
 * with "external": "onednn". A shared object of its own, which tilec opens when it is there; nothing
 * of tilec links oneDNN.
 */
#include <tilec/lab.h>

#include <oneapi/dnnl/dnnl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tilec_lab_external *tilec_lab_external_onednn(void);

enum { MEMORIES = 3 };

struct product {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[MEMORIES];
    int memories;
    int threads; /* 0: all */
};

static void product_close(void *arm)
{
    struct product *p = arm;
    for (int i = 0; i < p->memories; i++)
        dnnl_memory_destroy(p->arguments[i].memory);
    if (p->primitive)
        dnnl_primitive_destroy(p->primitive);
    if (p->stream)
        dnnl_stream_destroy(p->stream);
    if (p->engine)
        dnnl_engine_destroy(p->engine);
    free(p);
}

static int add_memory(struct product *p, int role, const dnnl_memory_desc_t *description,
                      void *data)
{
    dnnl_exec_arg_t *argument = &p->arguments[p->memories];
    argument->arg = role;
    if (dnnl_memory_create(&argument->memory, description, p->engine, data) != dnnl_success)
        return 0;
    p->memories++;
    return 1;
}

/* A [M, K], B [K, N] and C [M, N], all row-major. */
static dnnl_status_t make_primitive(struct product *p, const tilec_lab_case *c,
                                    dnnl_memory_desc_t description[MEMORIES])
{
    dnnl_data_type_t type = c->type == TILEC_F16 ? dnnl_f16 : dnnl_f32;
    dnnl_matmul_desc_t product;
    dnnl_primitive_desc_t chosen;
    dnnl_status_t status = dnnl_success;
    for (int t = 0; t < MEMORIES && status == dnnl_success; t++) {
        dnnl_dims_t shape = {c->tensors[t].shape[0], c->tensors[t].shape[1]};
        status = dnnl_memory_desc_init_by_tag(&description[t], 2, shape, type, dnnl_ab);
    }
    if (status == dnnl_success)
        status = dnnl_matmul_desc_init(&product, &description[0], &description[1], NULL,
                                       &description[2]);
    if (status == dnnl_success)
        status = dnnl_primitive_desc_create(&chosen, &product, NULL, p->engine, NULL);
    if (status != dnnl_success)
        return status;
    status = dnnl_primitive_create(&p->primitive, chosen);
    dnnl_primitive_desc_destroy(chosen);
    return status;
}

static tilec_status product_open(void *user, const tilec_lab_case *c, void **arm, char *why,
                                 size_t why_size)
{
    static const int roles[MEMORIES] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST};
    (void)user;
    if (strcmp(c->problem, "gemm") != 0) {
        snprintf(why, why_size, "oneDNN 2 does not compute '%s'", c->problem);
        return TILEC_ERROR_TARGET;
    }
    struct product *p = calloc(1, sizeof *p);
    if (!p)
        return TILEC_ERROR_NO_MEMORY;
    dnnl_memory_desc_t description[MEMORIES];
    p->threads = c->threads;
    int fine = dnnl_engine_create(&p->engine, dnnl_cpu, 0) == dnnl_success &&
               dnnl_stream_create(&p->stream, p->engine, dnnl_stream_default_flags) == dnnl_success;
    dnnl_status_t status = fine ? make_primitive(p, c, description) : dnnl_runtime_error;
    for (int t = 0; t < MEMORIES && status == dnnl_success; t++)
        if (!add_memory(p, roles[t], &description[t], c->tensors[t].data))
            status = dnnl_out_of_memory;
    if (status == dnnl_success) {
        *arm = p;
        return TILEC_OK;
    }
    product_close(p);
    snprintf(why, why_size, status == dnnl_unimplemented
                                ? "oneDNN has no product of this type on this processor"
                                : "oneDNN status %d",
             (int)status);
    return TILEC_ERROR_TARGET;
}

/* oneDNN takes as many threads as OpenMP says when it is called. */
static tilec_status product_run(void *arm, double *device_seconds)
{
    struct product *p = arm;
    int before = omp_get_max_threads();
    (void)device_seconds;
    if (p->threads)
        omp_set_num_threads(p->threads);
    int good = dnnl_primitive_execute(p->primitive, p->stream, p->memories, p->arguments) ==
                   dnnl_success &&
               dnnl_stream_wait(p->stream) == dnnl_success;
    if (p->threads)
        omp_set_num_threads(before);
    return good ? TILEC_OK : TILEC_ERROR_FAULT;
}

__attribute__((visibility("default"))) const tilec_lab_external *tilec_lab_external_onednn(void)
{
    static char version[48];
    static tilec_lab_external external = {"onednn",    version,     NULL, product_open,
                                          product_run, product_close, 0, NULL};
    const dnnl_version_t *v = dnnl_version();
    snprintf(version, sizeof version, "oneDNN %d.%d.%d", v->major, v->minor, v->patch);
    return &external;
}
