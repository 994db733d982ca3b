// SPDX-License-Identifier: BSD-2-Clause
/* open.c: assay-linux: a run on this computer's own CPU. */
#include "tests/host/program.h"
#include "tests/linux/linux.h"

const char program_name[] = "assay-linux";

bool program_take(struct host *host, int *count, char **words, int *status)
{
    (void)host, (void)count, (void)words, (void)status;
    return true;
}

struct machine *program_open(struct host *host, struct run *run, const char **why)
{
    const struct options *options = &run->options;

    return linux_open(host, options->memory, options->request.contiguous, options->core, run->recording, why);
}

bool program_check(struct host *host, struct run *run, struct machine *machine)
{
    (void)host, (void)run, (void)machine;
    return true;
}
