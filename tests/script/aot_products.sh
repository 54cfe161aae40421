#!/bin/sh
# A matrix product ahead of time: right on the calling thread and in ranges of any cut, with objects
# that have several levels.
set -eu
tilec=$TILEC_BUILD_DIR/tilec
[ -e "$TILEC_BUILD_DIR/libtilec-cpu.so" ] || { echo "skipped: built without the CPU backend"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "skipped: objects for x86-64 do not run here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tilec" build kernels/gemm_epilogue.tile.c:gemm_bias_relu -D T=float -D BLOCK_M=32 -D BLOCK_N=32 \
    -D BLOCK_K=16 --cpu generic --cpu x86-64-v3 --cpu x86-64-v4 -o "$work/product.o" \
    --header "$work/product.h"
cat >"$work/main.c" <<'PROGRAM'
#include "product.h"

#include <stdio.h>
#include <stdlib.h>

static void in_parts(void *user, int64_t count, void (*body)(void *, int64_t, int64_t), void *state)
{
    int64_t parts = *(int64_t *)user;
    for (int64_t i = parts; i-- > 0;)
        body(state, count * i / parts, count * (i + 1) / parts);
}

int main(void)
{
    enum { M = 150, N = 170, K = 1300 };
    float *a = malloc(M * K * 4), *b = malloc(K * N * 4), *bias = malloc(N * 4), *c = malloc(M * N * 4);
    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i * 7 % 5 - 2);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i * 5 % 3 - 1);
    for (int i = 0; i < N; i++)
        bias[i] = (float)(i % 9 - 4);
    for (int64_t parts = 0; parts < 8; parts += 3) {
        struct tilec_aot_parallel parallel = {in_parts, &parts};
        if (gemm_bias_relu(a, b, bias, c, M, N, K, parts ? &parallel : NULL) != TILEC_AOT_OK)
            return 2;
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                float want = bias[j];
                for (int k = 0; k < K; k++)
                    want += a[i * K + k] * b[k * N + j];
                want = want > 0 ? want : 0;
                if (c[i * N + j] != want) {
                    printf("element %d, %d is %g, expected %g\n", i, j, c[i * N + j], want);
                    return 1;
                }
                c[i * N + j] = -1;
            }
    }
    free(a);
    free(b);
    free(bias);
    free(c);
    return 0;
}
PROGRAM
cc -std=c99 -O1 -Wall -Wextra -Werror "$work/main.c" "$work/product.o" -lm -o "$work/main"
"$work/main"
