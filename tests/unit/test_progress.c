// SPDX-License-Identifier: BSD-2-Clause
/* test_progress.c: the forecast of runs that go at all paces: it becomes right, and it never leaps. */
#include "run/progress.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct stage {
    uint64_t now;
    char line[128];
    struct progress progress;
};

static struct stage stage;

void stage_progress(struct stage *at, const char *line)
{
    snprintf(at->line, sizeof at->line, "%s", line);
}

uint64_t stage_milliseconds(struct stage *at)
{
    return at->now;
}

/* A run of three probes. usual: what is known beforehand; really: what each takes here. A probe's permille may creep at
 * first and then run (bent), as that of a probe that does its hardest part first. */
struct course {
    uint64_t usual[3], really[3];
    bool bent;
};

static unsigned permille_at(const struct course *course, uint64_t spent, uint64_t really)
{
    uint64_t part = spent * 1000 / really;

    return (unsigned)(course->bent ? part * part / 1000 : part);
}

/* Runs it second by second. Returns the worst error of the forecast in the last half of the run, in thousandths of what
 * really was left then plus a second. */
static uint64_t run_course(const struct course *course, unsigned *leaps)
{
    uint64_t total = course->really[0] + course->really[1] + course->really[2], begin = stage.now, worst = 0, last = 0;
    struct progress *progress = &stage.progress;

    *leaps = 0;
    progress_plan(progress, course->usual[0] + course->usual[1] + course->usual[2]);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t started = stage.now;
        progress_start(progress, &stage, "x", i + 1, 3, course->usual[i]);
        for (; stage.now - started < course->really[i]; stage.now += 1000) {
            uint64_t left = begin + total - stage.now, error;
            progress_show(progress, &stage, permille_at(course, stage.now - started, course->really[i]));
            error = progress->shown > left ? progress->shown - left : left - progress->shown;
            if (stage.now - begin > total / 2 && error * 1000 / (left + 1000) > worst)
                worst = error * 1000 / (left + 1000);
            *leaps += last && progress->shown > last + 1000 + last / 20;
            last = progress->shown;
        }
        progress_end(progress, &stage, true);
    }
    return worst;
}

/* usual, really, bent, the worst error of the second half (UINT32_MAX: nothing measured before can tell). */
static const struct {
    struct course course;
    unsigned worst;
} courses[] = {{{{1000, 60000, 9000}, {1000, 60000, 9000}, false}, 60},
               {{{1000, 60000, 9000}, {10000, 600000, 90000}, false}, 60},
               {{{1000, 60000, 9000}, {1000, 6000, 1000}, false}, 1500},
               {{{1000, 60000, 9000}, {1000, 6000, 50000}, false}, 100},
               {{{1000, 1000, 1000}, {2000, 300000, 3000}, false}, UINT32_MAX},
               {{{1000, 60000, 9000}, {1000, 60000, 9000}, true}, UINT32_MAX}};

static void all_paces(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof courses / sizeof *courses; i++) {
        unsigned leaps;
        uint64_t worst = run_course(&courses[i].course, &leaps);
        if (worst > courses[i].worst || leaps)
            fail_msg("course %u: %u thousandths off, %u leaps", i, (unsigned)worst, leaps);
    }
}

/* Whatever the permille does, one line after the other rises by no more than a second and a twentieth. */
static void never_leaps(void **state)
{
    static const unsigned permilles[] = {0, 900, 1, 1000, 3, 500, 499, 2, 1000, 1};
    uint64_t last = 0;

    (void)state;
    progress_plan(&stage.progress, 5000);
    progress_start(&stage.progress, &stage, "x", 1, 1, 5000);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t left;
        stage.now += 1000;
        left = progress_left(&stage.progress, permilles[i % 10], stage.now);
        if (i > 0)
            assert_true(left <= last + 1000 + last / 20);
        last = left;
    }
}

static void lines(void **state)
{
    struct progress *progress = &stage.progress;

    (void)state;
    progress_plan(progress, 10000);
    progress_start(progress, &stage, "l1d", 1, 2, 10000);
    assert_string_equal(stage.line, "[1/2] l1d  0 %  about 10 s left   (s skips, q ends the run)");
    stage.now += 999;
    stage.line[0] = '\0';
    progress_show(progress, &stage, 100);
    assert_string_equal(stage.line, ""); /* a second has not passed */
    stage.now += 4001;
    progress_show(progress, &stage, 500);
    assert_string_equal(stage.line, "[1/2] l1d  50 %  about 5 s left   (s skips, q ends the run)");
    progress_end(progress, &stage, true);
    progress_show(progress, &stage, 500);
    progress_plan(progress, 600000);
    progress_start(progress, &stage, "latency", 2, 2, 600000);
    assert_string_equal(stage.line, "[2/2] latency  0 %  about 10 min left   (s skips, q ends the run)");
    progress_end(progress, &stage, false);
}

/* What is left out takes no time; what was skipped says nothing about the pace. */
static void left_out(void **state)
{
    struct progress *progress = &stage.progress;

    (void)state;
    progress_plan(progress, 30000);
    progress_start(progress, &stage, "a", 1, 3, 10000);
    stage.now += 100;
    progress_end(progress, &stage, false);
    progress_pass(progress, 10000);
    progress->shown_at = 0;
    progress_start(progress, &stage, "c", 3, 3, 10000);
    assert_string_equal(stage.line, "[3/3] c  0 %  about 10 s left   (s skips, q ends the run)");
    progress_end(progress, &stage, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_paces), cmocka_unit_test(never_leaps),
                                       cmocka_unit_test(lines), cmocka_unit_test(left_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
