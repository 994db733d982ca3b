// SPDX-License-Identifier: BSD-2-Clause
/* test_options.c: options as a line and as an ini file, good ones and bad ones. */
#include "run/options.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The probes of this test, so that it does not change with the real ones. */
const struct probe probe_list[] = {
    {"latency", "load latency", "latency.levels", NULL, 20000, false, NULL, false, false},
    {"l1d", "the L1 data cache", "l1d.size", NULL, 1000, true, NULL, false, false},
    {"l1", "nothing", "l1.size", NULL, 1000, false, NULL, false, false},
    {"new", "on trial", "new.size", NULL, 1000, true, "latency,l1", true, false}};
const unsigned probe_count = 4;

const struct suite suite_list[] = {{"some", "two of them, one on trial", "l1d,new", SUITE_LIST},
                                   {"other", "one", "l1d", SUITE_XRAY}};
const unsigned suite_count = 2;

static char complaint[256];

static bool read_line(struct options *options, const char *line)
{
    struct text text = text_in(complaint, sizeof complaint);

    options_default(options);
    return options_read_line(options, line, &text);
}

static bool read_ini(struct options *options, const char *ini)
{
    struct text text = text_in(complaint, sizeof complaint);

    options_default(options);
    return options_read_ini(options, ini, strlen(ini), &text);
}

static void good_lines(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_line(&options, ""));
    assert_int_equal(options.task, TASK_MEASURE);
    assert_int_equal(options.request.seed, 1);
    assert_true(read_line(&options, " --probe l1d  --core\t3 --memory=512M\r\n"));
    assert_string_equal(options.probes, "l1d");
    assert_int_equal(options.core, 3);
    assert_int_equal(options.memory, 512 << 20);
    assert_true(read_line(&options,
                          "--after=shutdown --no-variable --no-files --retry --plain --all-memory --contiguous "
                          "--five-levels"));
    assert_int_equal(options.after, AFTER_SHUTDOWN);
    assert_true(options.no_variable && options.no_files && options.retry && options.plain);
    assert_true(options.request.all_memory && options.request.contiguous && options.five_levels);
    assert_true(read_line(&options, "\"--out\" \"a folder\" --from=\"b c\"/d --seed 0x10"));
    assert_string_equal(options.out, "a folder");
    assert_string_equal(options.from, "b c/d");
    assert_int_equal(options.request.seed, 16);
    assert_true(read_line(&options, "--quick --no-pictures"));
    assert_true(options.quick && options.no_pictures);
    assert_true(read_line(&options, "--selftest"));
    assert_int_equal(options.task, TASK_SELFTEST);
    assert_string_equal(options.selftest, "all");
    assert_true(read_line(&options, "--selftest --core 1"));
    assert_int_equal(options.core, 1);
    assert_true(read_line(&options, "--selftest machine --core 1"));
    assert_string_equal(options.selftest, "machine");
    assert_true(read_line(&options, "--help"));
    assert_int_equal(options.task, TASK_HELP);
    assert_true(read_line(&options, "--list --last"));
    assert_int_equal(options.task, TASK_LAST);
}

static void expect_bad(const char *line, const char *word)
{
    struct options options;

    assert_false(read_line(&options, line));
    if (!strstr(complaint, word))
        fail_msg("'%s': the complaint '%s' does not say '%s'", line, complaint, word);
}

static void bad_lines(void **state)
{
    (void)state;
    expect_bad("--prob l1d", "'--prob'");
    expect_bad("l1d", "'l1d'");
    expect_bad("--probe", "needs a value");
    expect_bad("--probe l2d", "'l2d'; there are: latency l1d l1");
    expect_bad("--probe l1d,", "''");
    expect_bad("--probe l1d,,l1", "''");
    expect_bad("--suite", "needs a value");
    expect_bad("--suite=", "''; there are: some other");
    expect_bad("--suite l1d", "'l1d'; there are: some other");
    expect_bad("--suite some,other", "'some,other'");
    expect_bad("--suite a-name-that-is-longer-than-any-suite-has", "'a-name-that-is-longer-than-any-suite-has'");
    expect_bad("--core one", "'one'");
    expect_bad("--core 65536", "in range");
    expect_bad("--core -1", "'-1'");
    expect_bad("--memory 5T", "'5T'");
    expect_bad("--after never", "'never'");
    expect_bad("--retry=yes", "takes no value");
    expect_bad("--selftest everything", "'everything'");
    expect_bad("--out \"a", "not closed");
    expect_bad("--out=", "1 to 255");
    expect_bad("--", "'--'");
    expect_bad("- --core 1", "'-'");
}

static void good_ini(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_ini(&options, ""));
    assert_true(
        read_ini(&options, "# a comment\r\n\r\nprobe = l1d,latency ; two\r\n  core=2\r\nretry = yes\nplain=no\n"));
    assert_string_equal(options.probes, "l1d,latency");
    assert_int_equal(options.core, 2);
    assert_true(options.retry);
    assert_false(options.plain);
    assert_true(read_ini(&options, "\xEF\xBB\xBF"
                                   "after = reset"));
    assert_int_equal(options.after, AFTER_RESET);
    assert_true(read_ini(&options, "out = \"a # b\"\nselftest = yes\n"));
    assert_string_equal(options.out, "a # b");
    assert_int_equal(options.task, TASK_SELFTEST);
    assert_true(read_ini(&options, "selftest = no\nhelp = no\n"));
    assert_int_equal(options.task, TASK_MEASURE);
    assert_true(read_ini(&options, "probe = latency\nprobe = l1"));
    assert_string_equal(options.probes, "l1");
}

static void expect_bad_ini(const char *ini, const char *word)
{
    struct options options;

    assert_false(read_ini(&options, ini));
    if (!strstr(complaint, word))
        fail_msg("the complaint '%s' does not say '%s'", complaint, word);
}

static void bad_ini(void **state)
{
    (void)state;
    expect_bad_ini("\n\nprob = l1d\n", "line 3: unknown option 'prob'");
    expect_bad_ini("core\n", "line 1: 'core' needs a value");
    expect_bad_ini("retry = maybe\n", "'maybe'");
    expect_bad_ini("core = x\n", "line 1: --core: 'x'");
    expect_bad_ini("= 3\n", "unknown option ''");
    expect_bad_ini("[section]\n", "line 1");
}

/* What is written down reads back as the same options. */
static void written(void **state)
{
    static const char all[] =
        "--probe=l1d,l1 --suite=some --core=2 --memory=536870912 --all-memory --contiguous --five-levels --seed=9 "
        "--after=return "
        "--baseline=\"a golden.csv\" --no-variable --no-files --retry --plain --lava --out=\"a folder\" --machine=m "
        "--from=f";
    static const char *const lines[] = {
        "", all, "--selftest=quiet --core=1", "--help", "--last", "--list", "--forget", "--version"};

    (void)state;
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct options options;
        char buffer[512];
        struct text text = text_in(buffer, sizeof buffer);
        assert_true(read_line(&options, lines[i]));
        options_write(&options, &text);
        assert_string_equal(buffer, lines[i]);
    }
}

static void wanted(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_line(&options, "--probe=l1d,latency"));
    assert_true(options_wants(&options, "l1d"));
    assert_true(options_wants(&options, "latency"));
    assert_false(options_wants(&options, "l1"));
    assert_false(options_wants(&options, "lat"));
    assert_true(read_line(&options, ""));
    assert_true(options_wants(&options, "l1"));
}

static void help(void **state)
{
    char buffer[4096];
    struct text text = text_in(buffer, sizeof buffer);
    size_t width = 0;

    (void)state;
    options_help(&text);
    assert_false(text.cut);
    for (const char *at = buffer; *at; at++) {
        width = *at == '\n' ? 0 : width + 1;
        assert_true(width < 80);
    }
    assert_non_null(strstr(buffer, "--no-variable"));
    assert_non_null(strstr(buffer, "latency"));
    assert_non_null(strstr(buffer, "  some              two of them, one on trial\n"));
}

/* Whether an option was given does not depend on what it says. */
static void given(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_line(&options, "  "));
    assert_false(options.given);
    assert_true(read_ini(&options, "# nothing\n\n; probe = l1d\n"));
    assert_false(options.given);
    assert_true(read_ini(&options, "after = wait\n"));
    assert_true(options.given);
    assert_true(read_ini(&options, "plain = no\n"));
    assert_true(options.given);
    assert_true(read_line(&options, "--seed 1"));
    assert_true(options.given);
}

/* A quick run has the quick probes; probes that are named run in any case. */
static void quick(void **state)
{
    struct options options;
    char buffer[128];
    struct text text = text_in(buffer, sizeof buffer);

    (void)state;
    assert_true(read_line(&options, "--quick"));
    assert_true(options_wants(&options, "l1d"));
    assert_false(options_wants(&options, "latency"));
    assert_false(options_wants(&options, "nothing"));
    options_write(&options, &text);
    assert_string_equal(buffer, "--quick");
    assert_true(read_line(&options, "--quick --probe latency"));
    assert_true(options_wants(&options, "latency"));
    assert_false(options_wants(&options, "l1d"));
    assert_true(read_ini(&options, "quick = yes\nquick = no\n"));
    assert_true(options_wants(&options, "latency"));
}

/* A probe on trial runs only when it is named, and with it run those whose findings it goes by, and no others. */
static void on_trial(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_line(&options, ""));
    assert_false(options_wants(&options, "new"));
    assert_true(options_wants(&options, "l1"));
    assert_true(read_line(&options, "--quick"));
    assert_false(options_wants(&options, "new"));
    assert_true(read_line(&options, "--probe new"));
    assert_true(options_wants(&options, "new"));
    assert_true(options_wants(&options, "l1"));
    assert_true(options_wants(&options, "latency"));
    assert_false(options_wants(&options, "l1d"));
    assert_true(read_line(&options, "--probe latency"));
    assert_false(options_wants(&options, "new"));
    assert_false(options_wants(&options, "l1"));
}

/* A suite has its probes, also those on trial, and what these go by; probes that are named run beside it. */
static void suites(void **state)
{
    struct options options;

    (void)state;
    assert_true(read_line(&options, ""));
    assert_null(options_suite(&options));
    assert_true(read_line(&options, "--suite some --quick"));
    assert_string_equal(options_suite(&options)->name, "some");
    assert_true(options_wants(&options, "l1d"));
    assert_true(options_wants(&options, "new"));
    assert_true(options_wants(&options, "latency"));
    assert_true(options_wants(&options, "l1"));
    assert_true(read_ini(&options, "suite = other\n"));
    assert_true(options_suite(&options)->table == SUITE_XRAY);
    assert_true(options_wants(&options, "l1d"));
    assert_false(options_wants(&options, "new"));
    assert_false(options_wants(&options, "latency"));
    assert_true(read_line(&options, "--suite other --probe latency"));
    assert_true(options_wants(&options, "l1d"));
    assert_true(options_wants(&options, "latency"));
    assert_false(options_wants(&options, "l1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lines), cmocka_unit_test(given),    cmocka_unit_test(quick),
        cmocka_unit_test(bad_lines),  cmocka_unit_test(good_ini), cmocka_unit_test(bad_ini),
        cmocka_unit_test(written),    cmocka_unit_test(wanted),   cmocka_unit_test(help),
        cmocka_unit_test(on_trial),   cmocka_unit_test(suites)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
