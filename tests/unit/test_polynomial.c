/* Polynomials of indices and addresses: plan/polynomial.h, on Tile IR from text. */
#include "plan/polynomial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char text[] =
    "func @f(%A: ptr<f32>, %n: i64, %s: i64) {\n"
    "  %pid = program_id {axis 0} : i64\n"
    "  %c = constant {16} : i64\n"
    "  %first = mul %pid, %c : i64\n"
    "  %i = arange {2 to 10} : i64[8]\n"
    "  %b = broadcast %first : i64[8]\n"
    "  %row = add %b, %i : i64[8]\n"
    "  %column = reshape %row : i64[8, 1]\n"
    "  %strides = broadcast %s : i64[8, 1]\n"
    "  %scaled = mul %column, %strides : i64[8, 1]\n"
    "  %wide = broadcast %scaled : i64[8, 4]\n"
    "  %j = arange {0 to 4} : i64[4]\n"
    "  %jr = reshape %j : i64[1, 4]\n"
    "  %jw = broadcast %jr : i64[8, 4]\n"
    "  %sum = sub %wide, %jw : i64[8, 4]\n"
    "  %turned = trans {1 0} %sum : i64[4, 8]\n"
    "  %p = broadcast %A : ptr<f32>[8, 4]\n"
    "  %address = addptr %p, %sum : ptr<f32>[8, 4]\n"
    "  %squared = mul %n, %n : i64\n"
    "  %z = constant {0.0} : f32[8, 4]\n"
    "  store %address, %z\n"
    "  return\n"
    "}\n";

struct fixture {
    struct arena arena;
    jmp_buf out_of_memory;
    struct ir_func *func;
};

static const struct ir_value *find(struct fixture *f, const char *name)
{
    for (const struct ir_op *op = f->func->body->first; op; op = op->next) {
        if (op->result_count && op->results[0]->name && !strcmp(op->results[0]->name, name))
            return op->results[0];
    }
    for (int i = 0; i < f->func->parameter_count; i++) {
        if (!strcmp(f->func->parameters[i].name, name))
            return f->func->body->arguments[i];
    }
    fail_msg("no value %s", name);
    return NULL;
}

/* The coefficient of an axis, as the factor of pid^0 and the symbol s. */
static void test_values(struct fixture *f)
{
    struct polynomial p, coefficient, rest, part;
    int64_t value;
    assert_true(polynomial_of(find(f, "row"), NULL, &p));
    polynomial_split_axis(&p, 0, &coefficient, &rest);
    assert_true(polynomial_is_constant(&coefficient, &value));
    assert_int_equal(value, 1);
    assert_true(polynomial_split_symbol(&rest, find(f, "pid"), &part, &rest));
    assert_true(polynomial_is_constant(&part, &value));
    assert_int_equal(value, 16);
    assert_true(polynomial_is_constant(&rest, &value));
    assert_int_equal(value, 2);
}

static void test_products(struct fixture *f)
{
    struct polynomial p, coefficient, rest, s = polynomial_symbol(find(f, "s"));
    int64_t value;
    assert_true(polynomial_of(find(f, "sum"), NULL, &p));
    polynomial_split_axis(&p, 0, &coefficient, &rest);
    assert_true(polynomial_equal(&coefficient, &s));
    polynomial_split_axis(&p, 1, &coefficient, &rest);
    assert_true(polynomial_is_constant(&coefficient, &value));
    assert_int_equal(value, -1);
    assert_true(polynomial_of(find(f, "turned"), NULL, &p)); /* the axes changed places */
    polynomial_split_axis(&p, 1, &coefficient, &rest);
    assert_true(polynomial_equal(&coefficient, &s));
}

static void test_addresses(struct fixture *f)
{
    struct polynomial p, sum;
    const struct ir_value *root = NULL;
    assert_true(polynomial_of(find(f, "sum"), NULL, &sum));
    assert_true(polynomial_of_address(find(f, "address"), NULL, &root, &p));
    assert_ptr_equal(root, find(f, "A"));
    assert_true(polynomial_equal(&p, &sum));
}

static void test_arithmetic(struct fixture *f)
{
    struct polynomial p, q, n = polynomial_symbol(find(f, "n")), unused;
    assert_true(polynomial_of(find(f, "squared"), NULL, &p));
    assert_false(polynomial_split_symbol(&p, find(f, "n"), &unused, &unused)); /* n * n */
    assert_true(polynomial_multiply(&n, &n, &q));
    assert_true(polynomial_equal(&p, &q));
    assert_true(polynomial_add(&p, &q, -1)); /* all terms cancel */
    assert_int_equal(p.count, 0);
    assert_true(polynomial_multiply(&q, &q, &q));
    assert_false(polynomial_multiply(&q, &n, &q)); /* a fifth power */
}

static void test_polynomial(void **state)
{
    static struct fixture f;
    (void)state;
    struct diagnostics diagnostics;
    struct source_file file = {.name = "f.ir", .text = text, .length = sizeof text - 1};
    if (setjmp(f.out_of_memory) != 0)
        fail_msg("out of memory");
    arena_init(&f.arena, allocator_default, &f.out_of_memory);
    diagnostics_init(&diagnostics, &f.arena);
    f.func = ir_read(&f.arena, &diagnostics, &file);
    if (!f.func)
        fail_msg("%s", diagnostics.items[0].message);
    ir_number(f.func);
    test_values(&f);
    test_products(&f);
    test_addresses(&f);
    test_arithmetic(&f);
    arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_polynomial)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
