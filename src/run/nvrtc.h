#ifndef TILEC_RUN_NVRTC_H
#define TILEC_RUN_NVRTC_H
/*
 * CUDA C++ to PTX and cubins, by NVIDIA's run-time compiler (NVRTC), which is opened with dlopen, or
 * where there is none by the program nvcc, which is started without a shell. Neither is needed to
 * build tilec.
 */
#include "base/arena.h"
#include "base/text.h"

struct nvrtc; /* the library's functions */

/* NULL with a reason. Stays loaded: opening it again costs nothing. */
const struct nvrtc *nvrtc_open(char *why, size_t size);
/* Major and minor, 1000 * major + 10 * minor: 13000. */
int nvrtc_version(const struct nvrtc *nvrtc);

/* What the assembler said of a kernel; -1: it did not say. */
struct nvrtc_resources {
    int registers;    /* of a thread */
    int stack_bytes;  /* of a thread */
    int spill_bytes;  /* stores and loads together */
    int shared_bytes; /* static, of a program */
};

struct nvrtc_output {
    char *bytes; /* in the arena */
    size_t size;
    const char *log; /* warnings and errors; "" for none */
    struct nvrtc_resources resources;
};

struct nvrtc_request {
    const char *text;
    const char *arch; /* "sm_90a" */
    bool ptx;         /* else a cubin */
    bool relaxed;     /* fast math */
    const char *define; /* "NAME=VALUE", or NULL */
};

/* False: output->log says why. */
bool nvrtc_compile(const struct nvrtc *nvrtc, const struct nvrtc_request *request,
                   struct arena *arena, struct nvrtc_output *output);
/* The same by nvcc: $TILEC_NVCC, or the nvcc in $PATH, or the toolkit's usual place. *found: there
 * is one. */
bool nvrtc_compile_by_nvcc(const struct nvrtc_request *request, struct arena *arena,
                           struct nvrtc_output *output, bool *found);
/* Fills output's log and resources from what a compiler printed. */
void nvrtc_read_log(struct arena *arena, const char *log, struct nvrtc_output *output);

#endif
