/* Matrix products of other libraries; see blas.h. */
#include "bench/blas.h"
#include "bench/measure.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void fortran_sgemm(const char *, const char *, const int *, const int *, const int *,
                           const float *, const float *, const int *, const float *, const int *,
                           const float *, float *, const int *);

struct blas_peer {
    struct product product;
    bool (*run)(struct blas_peer *peer);
    fortran_sgemm *sgemm;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[4]; /* the result is number 2, a bias number 3 */
    int argument_count;
    dnnl_primitive_t gelu; /* or NULL */
};

bool blas_run(struct blas_peer *peer)
{
    return peer->run(peer);
}

void blas_free(struct blas_peer *peer)
{
    if (!peer)
        return;
    for (int i = 0; i < 4; i++)
        if (peer->arguments[i].memory)
            dnnl_memory_destroy(peer->arguments[i].memory);
    if (peer->primitive)
        dnnl_primitive_destroy(peer->primitive);
    if (peer->gelu)
        dnnl_primitive_destroy(peer->gelu);
    if (peer->stream)
        dnnl_stream_destroy(peer->stream);
    if (peer->engine)
        dnnl_engine_destroy(peer->engine);
    free(peer);
}

static struct blas_peer *peer_new(const struct product *product,
                                  bool (*run)(struct blas_peer *peer))
{
    struct blas_peer *peer = calloc(1, sizeof *peer);
    if (!peer)
        return NULL;
    peer->product = *product;
    peer->run = run;
    return peer;
}

static float scale_of(const struct product *p)
{
    return p->scale == 0 ? 1 : p->scale;
}

/* ---- BLAS ------------------------------------------------------------------------------------ */

/* Row-major C = A B is column-major C^T = B^T A^T. */
static bool run_sgemm(struct blas_peer *peer)
{
    const struct product *p = &peer->product;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    float scale = scale_of(p), zero = 0;
    peer->sgemm(p->turned ? "T" : "N", "N", &n, &m, &k, &scale, p->b, p->turned ? &k : &n, p->a, &k,
                &zero, p->c, &n);
    return true;
}

/* The library stays open: closing one that has threads is asking for trouble. */
static struct blas_peer *open_blas(const struct product *product, const char *library,
                                   const char *set_threads, bool wide)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void *sgemm = handle ? dlsym(handle, "sgemm_") : NULL;
    void *set = handle ? dlsym(handle, set_threads) : NULL;
    if (!sgemm || !set || product->type != PRODUCT_F32)
        return NULL;
    if (wide) {
        void (*call)(int64_t) = NULL;
        memcpy(&call, &set, sizeof call);
        call(product->threads);
    } else {
        void (*call)(int) = NULL;
        memcpy(&call, &set, sizeof call);
        call(product->threads);
    }
    struct blas_peer *peer = peer_new(product, run_sgemm);
    if (peer)
        memcpy(&peer->sgemm, &sgemm, sizeof peer->sgemm);
    return peer;
}

struct blas_peer *blas_openblas(const struct product *product)
{
    return open_blas(product, "libopenblas.so.0", "openblas_set_num_threads", false);
}

struct blas_peer *blas_blis(const struct product *product)
{
    return open_blas(product, "libblis.so.4", "bli_thread_set_num_threads", true);
}

/* ---- oneDNN ---------------------------------------------------------------------------------- */

static bool run_dnnl_sgemm(struct blas_peer *peer)
{
    const struct product *p = &peer->product;
    return dnnl_sgemm('N', p->turned ? 'T' : 'N', p->m, p->n, p->k, scale_of(p), p->a, p->k, p->b,
                      p->turned ? p->k : p->n, 0, p->c, p->n) == dnnl_success;
}

static bool run_dnnl_s8(struct blas_peer *peer)
{
    const struct product *p = &peer->product;
    int32_t zero = 0;
    return dnnl_gemm_s8s8s32('N', 'N', 'F', p->m, p->n, p->k, 1, p->a, p->k, 0, p->b, p->n, 0, 0,
                             p->c, p->n, &zero) == dnnl_success;
}

/* A's elements count as unsigned: as much work, and what a user with such data would call. */
static bool run_dnnl_u8(struct blas_peer *peer)
{
    const struct product *p = &peer->product;
    int32_t zero = 0;
    return dnnl_gemm_u8s8s32('N', 'N', 'F', p->m, p->n, p->k, 1, p->a, p->k, 0, p->b, p->n, 0, 0,
                             p->c, p->n, &zero) == dnnl_success;
}

bool blas_takes_unsigned(const struct blas_peer *peer)
{
    return peer->run == run_dnnl_u8;
}

static bool run_primitive(struct blas_peer *peer)
{
    dnnl_exec_arg_t in_place[] = {{DNNL_ARG_SRC, peer->arguments[2].memory},
                                  {DNNL_ARG_DST, peer->arguments[2].memory}};
    return dnnl_primitive_execute(peer->primitive, peer->stream, peer->argument_count,
                                  peer->arguments) == dnnl_success &&
           (!peer->gelu || dnnl_primitive_execute(peer->gelu, peer->stream, 2, in_place) ==
                               dnnl_success) &&
           dnnl_stream_wait(peer->stream) == dnnl_success;
}

static bool add_memory(struct blas_peer *peer, int i, int role, const dnnl_memory_desc_t *form,
                       const void *data)
{
    peer->arguments[i].arg = role;
    peer->argument_count = i + 1;
    return dnnl_memory_create(&peer->arguments[i].memory, form, peer->engine,
                              (void *)(uintptr_t)data) == dnnl_success;
}

static bool add_gelu(struct blas_peer *peer, const dnnl_memory_desc_t *form)
{
    dnnl_eltwise_desc_t gelu;
    dnnl_primitive_desc_t description = NULL;
    bool fine = dnnl_eltwise_forward_desc_init(&gelu, dnnl_forward_inference,
                                               dnnl_eltwise_gelu_erf, form, 0, 0) == dnnl_success &&
                dnnl_primitive_desc_create(&description, &gelu, NULL, peer->engine, NULL) ==
                    dnnl_success &&
                dnnl_primitive_create(&peer->gelu, description) == dnnl_success;
    if (description)
        dnnl_primitive_desc_destroy(description);
    return fine;
}

static struct blas_peer *new_matmul(const struct product *p, const float *bias)
{
    static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s8};
    struct blas_peer *peer = peer_new(p, run_primitive);
    dnnl_memory_desc_t a, b, c, added;
    dnnl_dims_t bias_shape = {1, p->n};
    dnnl_dims_t a_shape = {p->m, p->k}, b_shape = {p->k, p->n}, c_shape = {p->m, p->n};
    dnnl_data_type_t type = types[p->type], result = p->type == PRODUCT_I8 ? dnnl_s32 : type;
    dnnl_matmul_desc_t matmul;
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_attr_t scaled = NULL;
    float scale = scale_of(p);
    bool fine =
        peer && dnnl_primitive_attr_create(&scaled) == dnnl_success &&
        dnnl_primitive_attr_set_output_scales(scaled, 1, 0, &scale) == dnnl_success &&
        dnnl_engine_create(&peer->engine, dnnl_cpu, 0) == dnnl_success &&
        dnnl_stream_create(&peer->stream, peer->engine, dnnl_stream_default_flags) ==
            dnnl_success &&
        dnnl_memory_desc_init_by_tag(&a, 2, a_shape, type, dnnl_ab) == dnnl_success &&
        dnnl_memory_desc_init_by_tag(&b, 2, b_shape, type, p->turned ? dnnl_ba : dnnl_ab) ==
            dnnl_success &&
        dnnl_memory_desc_init_by_tag(&c, 2, c_shape, result, dnnl_ab) == dnnl_success &&
        dnnl_memory_desc_init_by_tag(&added, 2, bias_shape, dnnl_f32, dnnl_ab) == dnnl_success &&
        dnnl_matmul_desc_init(&matmul, &a, &b, bias ? &added : NULL, &c) == dnnl_success &&
        dnnl_primitive_desc_create(&description, &matmul, scaled, peer->engine, NULL) ==
            dnnl_success &&
        dnnl_primitive_create(&peer->primitive, description) == dnnl_success &&
        add_memory(peer, 0, DNNL_ARG_SRC, &a, p->a) &&
        add_memory(peer, 1, DNNL_ARG_WEIGHTS, &b, p->b) &&
        add_memory(peer, 2, DNNL_ARG_DST, &c, p->c) &&
        (!bias || (add_memory(peer, 3, DNNL_ARG_BIAS, &added, bias) && add_gelu(peer, &c)));
    if (description)
        dnnl_primitive_desc_destroy(description);
    if (scaled)
        dnnl_primitive_attr_destroy(scaled);
    if (fine)
        return peer;
    blas_free(peer);
    return NULL;
}

/* The least of some calls' times. */
static double quick_time(struct blas_peer *peer)
{
    double best = 1e9, begin = measure_now();
    for (int i = 0; i < 20 && (i < 3 || measure_now() - begin < 0.2); i++) {
        double start = measure_now();
        if (!peer->run(peer))
            return 1e9;
        double seconds = measure_now() - start;
        best = seconds < best ? seconds : best;
    }
    return best;
}

struct blas_peer *blas_onednn(const struct product *product)
{
    struct blas_peer *candidates[3] = {0}, *best = NULL;
    double best_time = 1e9;
    candidates[0] = new_matmul(product, NULL);
    if (product->type == PRODUCT_F32)
        candidates[1] = peer_new(product, run_dnnl_sgemm);
    if (product->type == PRODUCT_I8) {
        candidates[1] = peer_new(product, run_dnnl_s8);
        candidates[2] = peer_new(product, run_dnnl_u8);
    }
    for (int i = 0; i < 3; i++) {
        double seconds = candidates[i] ? quick_time(candidates[i]) : 1e9;
        if (seconds < best_time) {
            blas_free(best);
            best = candidates[i];
            best_time = seconds;
        } else {
            blas_free(candidates[i]);
        }
    }
    return best;
}

struct blas_peer *blas_onednn_gelu(const struct product *product, const float *bias)
{
    return new_matmul(product, bias);
}
