// SPDX-License-Identifier: BSD-2-Clause
/* host.c: kernel/host.h on a host: a rest shows progress and reads keys; there is no firmware and no other processor.
 */
#define _GNU_SOURCE // nanosleep
#include "tests/host/program.h"
#include <time.h>

bool host_rest(struct host *host, unsigned permille)
{
    struct stage *stage = host->stage;
    bool skip;

    progress_show(&stage->progress, stage, permille);
    keys_read(stage);
    skip = stage->skip_asked;
    stage->skip_asked = false; /* one key skips one probe */
    return !skip && !stage->aborted;
}

bool host_signal(struct host *host, unsigned permille)
{
    return host_rest(host, permille);
}

void host_pause(struct host *host)
{
    (void)host;
}

void host_resume(struct host *host)
{
    (void)host;
}

unsigned host_processors(struct host *host)
{
    (void)host;
    return 1;
}

bool host_start(struct host *host, unsigned core, void (*entry)(void *), void *argument)
{
    (void)host, (void)core, (void)entry, (void)argument;
    return false;
}

const char *host_why(struct host *host)
{
    (void)host;
    return "a host program starts no other processor";
}

void host_stall(struct host *host, unsigned microseconds)
{
    struct timespec rest = {.tv_sec = microseconds / 1000000, .tv_nsec = (long)(microseconds % 1000000) * 1000};

    (void)host;
    while (nanosleep(&rest, &rest) != 0)
        ;
}
