// SPDX-License-Identifier: BSD-2-Clause
/* open.c: assay-linux: a run on this computer's own CPU. */
#include "tests/host/program.h"
#include "tests/linux/linux.h"

const char program_name[] = "assay-linux";

struct machine *program_open(struct host *host, struct run *run, const char **why)
{
    const struct options *options = &run->options;

    return linux_open(host, options->memory, options->request.contiguous, options->core, run->recording, why);
}

bool program_check(struct machine *machine, struct stage *stage)
{
    (void)machine, (void)stage;
    return true;
}
