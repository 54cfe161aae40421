/*
 * A kernel that was compiled ahead of time, called in its two ways: as a plain function on raw
 * pointers, and with described arrays, which are checked.
 */
#include "rmsnorm.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 2, COLUMNS = 4 };

static void print_rows(const float *rows)
{
    for (int i = 0; i < ROWS * COLUMNS; i++)
        printf("%.4f%c", (double)rows[i], (i + 1) % COLUMNS ? ' ' : '\n');
}

static struct tilec_aot_argument buffer(float *data, const int64_t *shape, int rank)
{
    struct tilec_aot_argument argument = {data, 0, shape, TILEC_AOT_F32, rank};
    return argument;
}

static struct tilec_aot_argument scalar(int32_t type, const void *value)
{
    struct tilec_aot_argument argument = {NULL, 0, NULL, type, 0};
    memcpy(&argument.bits, value, 4);
    return argument;
}

int main(void)
{
    float x[ROWS * COLUMNS] = {1, 2, 3, 4, -1, 1, -1, 1};
    float weight[COLUMNS] = {1, 1, 1, 2};
    float out[ROWS * COLUMNS];
    const float eps = 1e-5f;

    /* The last argument would be our own thread pool; NULL: run on this thread. */
    int status = rmsnorm(x, weight, out, ROWS, COLUMNS, eps, NULL);
    if (status != TILEC_AOT_OK) {
        fprintf(stderr, "rmsnorm: status %d\n", status);
        return 1;
    }
    print_rows(out);

    /* A buffer that is too small is refused before anything runs. */
    const int32_t rows = ROWS, columns = COLUMNS;
    const int64_t shape[2] = {ROWS, COLUMNS}, weight_shape[1] = {COLUMNS}, short_shape[2] = {1, 4};
    struct tilec_aot_argument arguments[] = {
        buffer(x, shape, 2),           buffer(weight, weight_shape, 1),
        buffer(out, short_shape, 2),   scalar(TILEC_AOT_I32, &rows),
        scalar(TILEC_AOT_I32, &columns), scalar(TILEC_AOT_F32, &eps)};
    status = rmsnorm_call(arguments, 6, NULL, NULL);
    printf("with Out too small: %s\n", status == TILEC_AOT_ARGUMENT ? "refused" : "not refused");
    return 0;
}
