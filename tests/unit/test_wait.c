// SPDX-License-Identifier: BSD-2-Clause
/* test_wait.c: whether a thread was made to wait is told without a system call, and told when it was. */
#define _GNU_SOURCE
#include "tests/linux/wait.h"
#include <linux/seccomp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST_SECONDS = 20, NOT_GRANTED = 77 };

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void pin(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
}

/* Beside another that never rests, on one processor, this thread has to wait; a moment alone is none. */
static void waits_are_told(void **state)
{
    int processor = sched_getcpu();
    double start = now();
    unsigned waits = 0;

    (void)state;
    pin(processor);
    pid_t other = fork();
    if (other == 0)
        for (volatile unsigned spins = 0;; spins++)
            continue;
    while (waits == 0 && now() < start + MOST_SECONDS) {
        struct wait wait = wait_watch();
        for (double begin = now(); now() < begin + 0.05;)
            continue;
        waits = wait_count(&wait);
    }
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    assert_true(waits > 0);
}

static void moments_are_none(void **state)
{
    enum { MOMENTS = 1000 };
    unsigned waited = 0;

    (void)state;
    for (unsigned i = 0; i < MOMENTS; i++) {
        struct wait wait = wait_watch();
        waited += wait_count(&wait) > 0;
    }
    assert_true(waited < MOMENTS / 10);
}

/* Where nothing but the end of the program is allowed, a system call kills. */
static void nothing_is_asked(void **state)
{
    int status;

    (void)state;
    if (__rseq_size == 0) {
        print_message("skipped: this kernel marks no waits, so it is asked\n");
        skip();
    }
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
            syscall(SYS_exit, NOT_GRANTED);
        struct wait wait = wait_watch();
        syscall(SYS_exit, wait_count(&wait) > 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_GRANTED) {
        print_message("skipped: this kernel does not let a program forbid itself system calls\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_told),
        cmocka_unit_test(moments_are_none),
        cmocka_unit_test(nothing_is_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
