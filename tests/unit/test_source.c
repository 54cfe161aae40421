/* Lines of a source text, counted on from the last one or from the start: the same either way. */
#include "base/source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void test_lines(void **state)
{
    static const char texts[2][24] = {"a\n\nbc\r\nd\n", "\n\n\nno end"};
    struct source_file files[2];
    struct source_line known = {0};
    (void)state;
    for (int f = 0; f < 2; f++)
        files[f] = (struct source_file){"a file", texts[f], strlen(texts[f])};
    for (uint32_t before = 0; before < 14; before++) {
        for (uint32_t offset = 0; offset < 14; offset++) {
            for (int f = 0; f < 2; f++) {
                const struct source_file *file = &files[f];
                source_line_of(&known, &files[(before + offset) % 2], before);
                assert_int_equal(source_line_of(&known, file, offset),
                                 source_locate(file, offset).line);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
