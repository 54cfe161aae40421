#ifndef TILEC_LAB_PROBLEM_H
#define TILEC_LAB_PROBLEM_H
/*
 * What the lab's experiments compute: names of dimensions and tensors, random inputs, and a
 * reference in double. A problem is a row of the table in problem.c.
 *
 * Kernels get arguments by name: each tensor under its name, each dimension under its scalar's.
 */
#include "base/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB_MAX_DIMENSIONS = 3, LAB_MAX_TENSORS = 3 };

enum lab_dtype { LAB_FLOAT16, LAB_FLOAT32, LAB_DTYPE_COUNT };

/* Where results are rounded; a comparator with another policy is checked against its own reference.
 * float: sums, normalisation and weights in float, one rounding to the storage type. storage: the
 * normalised value is rounded to the storage type before it is multiplied by the weights. */
enum lab_policy { LAB_POLICY_FLOAT, LAB_POLICY_STORAGE };

struct lab_case;
struct arena;

struct lab_tensor_info {
    const char *name;
    int rank, dimensions[2]; /* numbers of the problem's dimensions */
    bool output;
    /* Element of an input; sizes are the case's. */
    double (*draw)(struct random *random, const int64_t *sizes);
};

struct lab_problem {
    const char *name;
    int dimension_count, tensor_count;
    /* Under which key a case of a file has its sizes: one each, or one list for all. */
    const char *dimensions[LAB_MAX_DIMENSIONS], *list;
    const char *scalars[LAB_MAX_DIMENSIONS]; /* the kernel parameters of these sizes */
    const char *epsilon;                     /* a float parameter, or NULL */
    /* How cases are in order: dtype outermost, then these sets of dimensions (bit n: number n). */
    unsigned axes[LAB_MAX_DIMENSIONS];
    struct lab_tensor_info tensors[LAB_MAX_TENSORS]; /* the output last */
    uint64_t (*seed)(int64_t seed, const struct lab_case *c);
    /* Output elements in double from inputs in double. */
    void (*reference)(const int64_t *sizes, double epsilon, double *const *inputs, double *output);
    /* The same under LAB_POLICY_STORAGE; NULL: that policy is not known. */
    void (*reference_storage)(enum lab_dtype dtype, const int64_t *sizes, double epsilon,
                              double *const *inputs, double *output);
};

const struct lab_problem *lab_problem_find(const char *name); /* NULL: unknown */
const char *lab_problem_names(void);                          /* for messages */

const char *lab_dtype_name(enum lab_dtype dtype); /* "float16" */
bool lab_dtype_find(const char *name, enum lab_dtype *dtype);
const char *lab_dtype_c(enum lab_dtype dtype); /* "half": what T is defined as */

/* "float16_32x1009": what a case is called, in the arena. */
const char *lab_case_name(struct arena *arena, const struct lab_problem *problem,
                          const struct lab_case *c);

/*
 * Cases are a complete matrix: every dtype with every size of every axis, the first axis slowest, each
 * axis in the order in which its sizes first appear. Gives the number of the first case that is out
 * of place (count when one is missing at the end), or -1. *axes: how many axes, dtype among them,
 * have more than one value; with two, no case can be left out or moved unnoticed.
 */
int64_t lab_matrix_wrong(struct arena *arena, const struct lab_problem *problem,
                         const struct lab_case *cases, size_t count, int *axes);

/* One case's tensors, in the problem's order. */
struct lab_tensor {
    const char *name;
    bool output;
    int rank;
    int64_t shape[2], elements;
    size_t bytes;
    void *data;  /* aligned to 64 bytes */
    void *place; /* where kernels find it: data, or its copy on a device */
};

struct lab_data {
    const struct lab_problem *problem;
    enum lab_dtype dtype;
    int64_t sizes[LAB_MAX_DIMENSIONS];
    int tensor_count;
    struct lab_tensor tensors[LAB_MAX_TENSORS];
};

/*
 * The case's inputs for an experiment's seed, and outputs full of NaN. False: not enough memory.
 * lab_data_free releases, also what a failed call left.
 */
bool lab_data_make(const struct lab_problem *problem, const struct lab_case *c, int64_t seed,
                   struct lab_data *data);
void lab_data_free(struct lab_data *data);
/* NaN in every element of the outputs. */
void lab_data_poison(struct lab_data *data);
/* SHA-256 of the inputs' bytes, one after the other. */
void lab_data_sha256(const struct lab_data *data, char hex[65]);

struct lab_check {
    bool passed;
    double max_absolute_error; /* of elements that are finite; infinite when one is not */
    int64_t wrong;             /* elements outside the tolerance, NaN where a number belongs */
};

/* Compares the output with the reference: |got - wanted| <= atol + rtol |wanted|, where wanted is
 * the reference rounded to the storage type. False: not enough memory. */
bool lab_data_check(const struct lab_data *data, double epsilon, enum lab_policy policy,
                    double rtol, double atol, struct lab_check *check);

#endif
