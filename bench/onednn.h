#ifndef TILEC_BENCH_ONEDNN_H
#define TILEC_BENCH_ONEDNN_H
/* oneDNN 2.6 (Debian's libdnnl-dev) as a peer: forward softmax and layer normalisation over the
 * last axis of a row-major [rows, width] array. */
#include <stdbool.h>

enum onednn_type { ONEDNN_F32, ONEDNN_BF16, ONEDNN_F16 };
enum onednn_op { ONEDNN_SOFTMAX, ONEDNN_LAYERNORM };

struct onednn_primitive;

/* NULL where the library has no such operation on this CPU (half, for one). in, out: the arrays;
 * scale, shift: float[width], for layer normalisation only. All stay the caller's. */
struct onednn_primitive *onednn_new(enum onednn_op op, enum onednn_type type, long rows, long width,
                                    void *in, void *out, float *scale, float *shift,
                                    float epsilon);
bool onednn_run(struct onednn_primitive *primitive);
void onednn_free(struct onednn_primitive *primitive);

#endif
