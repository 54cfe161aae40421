/* The table of problems, their inputs and references; see problem.h. */
#include "lab/problem.h"
#include "base/arena.h"
#include "base/half.h"
#include "base/sha256.h"
#include "lab/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- storage types --------------------------------------------------------------------------- */

static const struct {
    const char *name, *c;
    size_t size;
} dtypes[LAB_DTYPE_COUNT] = {
    [LAB_FLOAT16] = {"float16", "half", 2},
    [LAB_FLOAT32] = {"float32", "float", 4},
};

const char *lab_dtype_name(enum lab_dtype dtype)
{
    return dtypes[dtype].name;
}

const char *lab_dtype_c(enum lab_dtype dtype)
{
    return dtypes[dtype].c;
}

static size_t dtype_size(enum lab_dtype dtype)
{
    return dtypes[dtype].size;
}

bool lab_dtype_find(const char *name, enum lab_dtype *dtype)
{
    for (int i = 0; i < LAB_DTYPE_COUNT; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            *dtype = (enum lab_dtype)i;
            return true;
        }
    }
    return false;
}

static double stored(enum lab_dtype dtype, double value)
{
    return dtype == LAB_FLOAT16 ? (double)half_to_float(half_from_double(value)) : (double)(float)value;
}

static void put(enum lab_dtype dtype, void *data, int64_t i, double value)
{
    if (dtype == LAB_FLOAT16)
        ((uint16_t *)data)[i] = half_from_double(value);
    else
        ((float *)data)[i] = (float)value;
}

static double get(enum lab_dtype dtype, const void *data, int64_t i)
{
    return dtype == LAB_FLOAT16 ? (double)half_to_float(((const uint16_t *)data)[i])
                                : (double)((const float *)data)[i];
}

/* ---- RMSNorm: Out[r, :] = X[r, :] / sqrt(mean of squares + epsilon) * W ------------------------ */

enum { BATCHES, WIDTH };

static double draw_normal(struct random *random, const int64_t *sizes)
{
    (void)sizes;
    return random_normal(random);
}

static double draw_weight(struct random *random, const int64_t *sizes)
{
    (void)sizes;
    return random_uniform(random, 0.5, 1.5);
}

static uint64_t rmsnorm_seed(int64_t seed, const struct lab_case *c)
{
    return (uint64_t)seed + 1009 * (uint64_t)c->sizes[WIDTH] + 17 * (uint64_t)c->sizes[BATCHES] +
           (c->dtype == LAB_FLOAT32);
}

static double row_scale(const double *row, int64_t width, double epsilon)
{
    double sum = 0;
    for (int64_t i = 0; i < width; i++)
        sum += row[i] * row[i];
    return 1 / sqrt(sum / (double)width + epsilon);
}

static void rmsnorm(const int64_t *sizes, double epsilon, double *const *inputs, double *output)
{
    int64_t width = sizes[WIDTH];
    for (int64_t r = 0; r < sizes[BATCHES]; r++) {
        const double *row = inputs[0] + r * width;
        double scale = row_scale(row, width, epsilon);
        for (int64_t i = 0; i < width; i++)
            output[r * width + i] = row[i] * scale * inputs[1][i];
    }
}

static void rmsnorm_storage(enum lab_dtype dtype, const int64_t *sizes, double epsilon,
                            double *const *inputs, double *output)
{
    int64_t width = sizes[WIDTH];
    for (int64_t r = 0; r < sizes[BATCHES]; r++) {
        const double *row = inputs[0] + r * width;
        double scale = row_scale(row, width, epsilon);
        for (int64_t i = 0; i < width; i++)
            output[r * width + i] = stored(dtype, row[i] * scale) * inputs[1][i];
    }
}

/* ---- GEMM: C = A B ---------------------------------------------------------------------------- */

enum { M, N, K };

static double draw_scaled(struct random *random, const int64_t *sizes)
{
    return random_normal(random) / sqrt((double)sizes[K]);
}

static uint64_t gemm_seed(int64_t seed, const struct lab_case *c)
{
    return (uint64_t)seed + c->index;
}

static void gemm(const int64_t *sizes, double epsilon, double *const *inputs, double *output)
{
    (void)epsilon;
    for (int64_t m = 0; m < sizes[M]; m++) {
        double *row = output + m * sizes[N];
        for (int64_t n = 0; n < sizes[N]; n++)
            row[n] = 0;
        for (int64_t k = 0; k < sizes[K]; k++) {
            double a = inputs[0][m * sizes[K] + k];
            const double *b = inputs[1] + k * sizes[N];
            for (int64_t n = 0; n < sizes[N]; n++)
                row[n] += a * b[n];
        }
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct lab_problem problems[] = {
    {
        .name = "rmsnorm",
        .dimension_count = 2,
        .tensor_count = 3,
        .dimensions = {"batches", "width"},
        .scalars = {"rows", "N"},
        .epsilon = "eps",
        .axes = {1 << WIDTH, 1 << BATCHES},
        .tensors = {{"X", 2, {BATCHES, WIDTH}, false, draw_normal},
                    {"W", 1, {WIDTH}, false, draw_weight},
                    {"Out", 2, {BATCHES, WIDTH}, true, NULL}},
        .seed = rmsnorm_seed,
        .reference = rmsnorm,
        .reference_storage = rmsnorm_storage,
    },
    {
        .name = "gemm",
        .dimension_count = 3,
        .tensor_count = 3,
        .dimensions = {"M", "N", "K"},
        .list = "shape",
        .axes = {1 << M | 1 << N | 1 << K},
        .scalars = {"M", "N", "K"},
        .tensors = {{"A", 2, {M, K}, false, draw_scaled},
                    {"B", 2, {K, N}, false, draw_normal},
                    {"C", 2, {M, N}, true, NULL}},
        .seed = gemm_seed,
        .reference = gemm,
    },
};

const struct lab_problem *lab_problem_find(const char *name)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        if (strcmp(name, problems[i].name) == 0)
            return &problems[i];
    return NULL;
}

const char *lab_problem_names(void)
{
    return "rmsnorm or gemm";
}

/* ---- the matrix of cases --------------------------------------------------------------------- */

const char *lab_case_name(struct arena *arena, const struct lab_problem *problem,
                          const struct lab_case *c)
{
    const char *name = lab_dtype_name(c->dtype);
    for (int d = 0; d < problem->dimension_count; d++)
        name = arena_format(arena, "%s%c%lld", name, d ? 'x' : '_', (long long)c->sizes[d]);
    return name;
}

/* Whether two cases have the same value on an axis; -1 is dtype. */
static bool same_on(const struct lab_problem *problem, int axis, const struct lab_case *a,
                    const struct lab_case *b)
{
    if (axis < 0)
        return a->dtype == b->dtype;
    for (int d = 0; d < problem->dimension_count; d++)
        if ((problem->axes[axis] & 1u << d) && a->sizes[d] != b->sizes[d])
            return false;
    return true;
}

/* Numbers a case's value on an axis among the values that appeared; first: a case of each. */
static size_t number_on(const struct lab_problem *problem, int axis, const struct lab_case *cases,
                        size_t i, size_t *first, size_t *count)
{
    for (size_t k = 0; k < *count; k++)
        if (same_on(problem, axis, &cases[first[k]], &cases[i]))
            return k;
    first[*count] = i;
    return (*count)++;
}

int64_t lab_matrix_wrong(struct arena *arena, const struct lab_problem *problem,
                         const struct lab_case *cases, size_t count, int *axes)
{
    enum { AXES = LAB_MAX_DIMENSIONS + 1 };
    size_t *numbers[AXES], *first = ARENA_ARRAY(arena, size_t, count), counts[AXES] = {0};
    int axis_count = 1;
    while (axis_count < AXES && problem->axes[axis_count - 1])
        axis_count++;
    *axes = 0;
    size_t product = 1;
    for (int a = 0; a < axis_count; a++) {
        numbers[a] = ARENA_ARRAY(arena, size_t, count);
        for (size_t i = 0; i < count; i++)
            numbers[a][i] = number_on(problem, a - 1, cases, i, first, &counts[a]);
        *axes += counts[a] > 1;
        product *= counts[a];
    }
    for (size_t i = 0; i < count; i++) {
        size_t place = 0;
        for (int a = 0; a < axis_count; a++)
            place = place * counts[a] + numbers[a][i];
        if (place != i)
            return (int64_t)i;
    }
    return product == count ? -1 : (int64_t)count;
}

/* ---- data ------------------------------------------------------------------------------------ */

enum { ALIGNMENT = 64 };

static bool make_tensor(const struct lab_tensor_info *info, const struct lab_data *data,
                        struct lab_tensor *tensor)
{
    *tensor = (struct lab_tensor){info->name, info->output, info->rank, {1, 1}, 1, 0, NULL, NULL};
    for (int i = 0; i < info->rank; i++) {
        tensor->shape[i] = data->sizes[info->dimensions[i]];
        tensor->elements *= tensor->shape[i];
    }
    tensor->bytes = (size_t)tensor->elements * dtype_size(data->dtype);
    size_t room = (tensor->bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    tensor->data = tensor->place = aligned_alloc(ALIGNMENT, room);
    return tensor->data;
}

bool lab_data_make(const struct lab_problem *problem, const struct lab_case *c, int64_t seed,
                   struct lab_data *data)
{
    *data = (struct lab_data){.problem = problem, .dtype = c->dtype};
    memcpy(data->sizes, c->sizes, sizeof data->sizes);
    struct random random;
    random_seed(&random, problem->seed(seed, c));
    for (int t = 0; t < problem->tensor_count; t++) {
        const struct lab_tensor_info *info = &problem->tensors[t];
        struct lab_tensor *tensor = &data->tensors[data->tensor_count++];
        if (!make_tensor(info, data, tensor))
            return false;
        for (int64_t i = 0; info->draw && i < tensor->elements; i++)
            put(data->dtype, tensor->data, i, info->draw(&random, data->sizes));
    }
    lab_data_poison(data);
    return true;
}

void lab_data_free(struct lab_data *data)
{
    for (int t = 0; t < data->tensor_count; t++)
        free(data->tensors[t].data);
    *data = (struct lab_data){0};
}

void lab_data_poison(struct lab_data *data)
{
    /* All bits set is a NaN in every format. */
    for (int t = 0; t < data->tensor_count; t++)
        if (data->tensors[t].output)
            memset(data->tensors[t].data, 0xff, data->tensors[t].bytes);
}

void lab_data_sha256(const struct lab_data *data, char hex[65])
{
    struct sha256 hash;
    unsigned char digest[SHA256_BYTES];
    sha256_init(&hash);
    for (int t = 0; t < data->tensor_count; t++)
        if (!data->tensors[t].output)
            sha256_add(&hash, data->tensors[t].data, data->tensors[t].bytes);
    sha256_end(&hash, digest);
    sha256_hex(digest, hex);
}

/* ---- checking -------------------------------------------------------------------------------- */

static void compare(const struct lab_data *data, const struct lab_tensor *output,
                    const double *reference, double rtol, double atol, struct lab_check *check)
{
    *check = (struct lab_check){.passed = true};
    for (int64_t i = 0; i < output->elements; i++) {
        double wanted = stored(data->dtype, reference[i]);
        double error = fabs(get(data->dtype, output->data, i) - wanted);
        if (!(error <= atol + rtol * fabs(wanted)))
            check->wrong++;
        if (!(error <= check->max_absolute_error))
            check->max_absolute_error = isfinite(error) ? error : (double)INFINITY;
    }
    check->passed = check->wrong == 0;
}

static bool widen(const struct lab_data *data, double *wide[LAB_MAX_TENSORS])
{
    for (int t = 0; t < data->tensor_count; t++) {
        const struct lab_tensor *tensor = &data->tensors[t];
        wide[t] = calloc((size_t)tensor->elements + 1, sizeof(double));
        if (!wide[t])
            return false;
        for (int64_t i = 0; !tensor->output && i < tensor->elements; i++)
            wide[t][i] = get(data->dtype, tensor->data, i);
    }
    return true;
}

bool lab_data_check(const struct lab_data *data, double epsilon, enum lab_policy policy,
                    double rtol, double atol, struct lab_check *check)
{
    const struct lab_problem *problem = data->problem;
    double *wide[LAB_MAX_TENSORS] = {NULL};
    int last = data->tensor_count - 1;
    bool fine = widen(data, wide);
    if (fine && policy == LAB_POLICY_STORAGE && problem->reference_storage)
        problem->reference_storage(data->dtype, data->sizes, epsilon, wide, wide[last]);
    else if (fine)
        problem->reference(data->sizes, epsilon, wide, wide[last]);
    if (fine)
        compare(data, &data->tensors[last], wide[last], rtol, atol, check);
    for (int t = 0; t < data->tensor_count; t++)
        free(wide[t]);
    return fine;
}
