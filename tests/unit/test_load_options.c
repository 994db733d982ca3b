// SPDX-License-Identifier: BSD-2-Clause
/* test_load_options.c: command lines as shells, boot options and confused firmware hand them over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "boot/load_options.h"

/* Reads `text` as the firmware's characters, with its terminator; the result is in `line`. */
static bool read(const char *text, bool from_shell, char line[128])
{
    uint8_t wide[512];
    size_t length = strlen(text) + 1;
    const char *why = NULL;
    struct text to = text_in(line, 128);
    for (size_t i = 0; i < length; i++) {
        wide[2 * i] = (uint8_t)text[i];
        wide[2 * i + 1] = 0;
    }
    return load_options_line(wide, 2 * length, from_shell, &to, &why);
}

static void drops_the_name_of_the_program(void **state)
{
    static const char *const lines[][2] = {
        {"assay.efi --probe l1d --core 0", "--probe l1d --core 0"},
        {"FS0:\\assay.efi", ""},
        {"\"FS0:\\my tools\\assay.efi\" --last", "--last"},
        {"  assay.efi\t --note \"two words\"  ", "--note \"two words\""},
        {"--probe l1d", "--probe l1d"},
        {"", ""},
        {"   ", ""},
    };
    char line[128];
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (unsigned from_shell = 0; from_shell < 2; from_shell++) {
            assert_true(read(lines[i][0], from_shell, line));
            assert_string_equal(line, lines[i][1]);
        }
    }
}

/* Data of a boot option: a word that nobody will understand must not pass for the program's name. */
static void keeps_a_word_that_is_no_program(void **state)
{
    static const char *const lines[][3] = {
        /* handed over, from a boot option, from a shell */
        {"l1d", "l1d", ""},
        {"assay --last", "assay --last", "--last"},
        {"\"my assay\" --last", "\"my assay\" --last", "--last"},
        {"efi --last", "efi --last", "--last"},
        {"ASSAY.EFI l1d", "l1d", "l1d"},
        {".efi", "", ""},
        {"\"", "\"", ""},
    };
    char line[128];
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (unsigned from_shell = 0; from_shell < 2; from_shell++) {
            assert_true(read(lines[i][0], from_shell, line));
            assert_string_equal(line, lines[i][1 + from_shell]);
        }
    }
}

static void ignores_what_is_no_text(void **state)
{
    static const uint8_t odd[] = {'F', 'J', 0}, binary[] = {1, 0, 0, 0}, wide[] = {'-', 0, 0x3c, 0x26};
    char line[128];
    const char *why = NULL;
    struct text to = text_in(line, sizeof line);
    (void)state;
    assert_false(load_options_line(odd, sizeof odd, false, &to, &why));
    assert_non_null(why);
    assert_false(load_options_line(binary, sizeof binary, false, &to, &why));
    assert_false(load_options_line(wide, sizeof wide, false, &to, &why));
    assert_true(load_options_line(NULL, 0, false, &to, &why));
    assert_string_equal(line, "");
}

static void stops_at_the_terminator(void **state)
{
    static const uint8_t glued[] = {'-', 0, 'x', 0, 0, 0, 0xff, 0xff};
    char line[128];
    const char *why = NULL;
    struct text to = text_in(line, sizeof line);
    (void)state;
    assert_true(load_options_line(glued, sizeof glued, false, &to, &why));
    assert_string_equal(line, "-x");
}

static void refuses_more_than_fits(void **state)
{
    char text[200], line[128];
    (void)state;
    memset(text, '-', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_false(read(text, false, line));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_the_name_of_the_program), cmocka_unit_test(keeps_a_word_that_is_no_program),
        cmocka_unit_test(ignores_what_is_no_text),       cmocka_unit_test(stops_at_the_terminator),
        cmocka_unit_test(refuses_more_than_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
