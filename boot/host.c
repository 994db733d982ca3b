// SPDX-License-Identifier: BSD-2-Clause
/* host.c: rests, pauses and stalls of the machine over firmware. The other processors are in processors.c. */
#include "boot/host.h"

bool host_rest(struct host *host, unsigned permille)
{
    progress_show(&host->stage->progress, host->stage, permille);
    return !stage_listen(host->stage);
}

bool host_signal(struct host *host, unsigned permille)
{
    host->permille = permille;
    return !host->stop;
}

/* At the highest task priority the firmware's timer is off (UEFI 2.10, section 7.1: interrupts are disabled there). On
 * another processor there is nothing to do: the firmware runs no events there, and must not be called. */
void host_pause(struct host *host)
{
    if (host->elsewhere || host->paused)
        return;
    host->level = host->stage->firmware->boot->RaiseTPL(TPL_HIGH_LEVEL);
    host->paused = true;
}

void host_resume(struct host *host)
{
    if (host->elsewhere || !host->paused)
        return;
    host->paused = false;
    host->stage->firmware->boot->RestoreTPL(host->level);
}

void host_stall(struct host *host, unsigned microseconds)
{
    host->stage->firmware->boot->Stall(microseconds);
}

const char *host_why(struct host *host)
{
    return host->why;
}
