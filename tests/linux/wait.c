// SPDX-License-Identifier: BSD-2-Clause
/* wait.c: the kernel's mark of a wait. A thread may name a sequence of code that is not to be parted by another thread;
 * the kernel takes the name away when it lets another thread run, or moves this one, or has it handle a signal, outside
 * that sequence (rseq(2), in the kernel's include/uapi/linux/rseq.h). The sequence named here is one that nobody ever
 * runs, so its name is gone after any wait, and nothing else happens. */
#define _GNU_SOURCE
#include "tests/linux/wait.h"
#include <sys/resource.h>
#include <sys/rseq.h>

/* Where nobody runs: bytes that are no code, and where a parted sequence would go on, behind the signature that the
 * kernel asks for. */
static const struct {
    uint32_t sequence, signature, abort;
} nowhere = {.signature = RSEQ_SIG};

static struct rseq *own_area(void)
{
    return (struct rseq *)((char *)__builtin_thread_pointer() + __rseq_offset);
}

static volatile uint64_t *named_sequence(void)
{
    return (volatile uint64_t *)&own_area()->rseq_cs;
}

/* Whether the kernel knows of this thread's area: it writes the processor's number there then. */
static bool is_registered(void)
{
    return __rseq_size != 0 && (int)own_area()->cpu_id >= 0;
}

/* Involuntary context switches of this thread so far. */
static uint64_t count_switches(void)
{
    struct rusage usage;

    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_nivcsw : 0;
}

struct wait wait_watch(void)
{
    static const struct rseq_cs sequence = {
        .start_ip = (uintptr_t)&nowhere.sequence,
        .post_commit_offset = sizeof nowhere.sequence,
        .abort_ip = (uintptr_t)&nowhere.abort,
    };

    if (!is_registered())
        return (struct wait){.switches = count_switches()};
    *named_sequence() = (uintptr_t)&sequence;
    return (struct wait){.watched = true};
}

unsigned wait_count(const struct wait *wait)
{
    if (!wait->watched)
        return (unsigned)(count_switches() - wait->switches);
    bool gone = *named_sequence() == 0;
    *named_sequence() = 0;
    return gone;
}
