// SPDX-License-Identifier: BSD-2-Clause
/* open.c: assay-model: a run on the machine that --machine FILE describes. */
#include "base/text.h"
#include "tests/host/program.h"
#include "tests/silicon/silicon.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char program_name[] = "assay-model";

struct machine *program_open(struct host *host, struct run *run, const char **why)
{
    static char complaint[200];
    struct silicon_description description;
    struct machine *machine = NULL;
    size_t size;
    char *ini;

    *why = "--machine FILE is needed: the description of a machine (tests/silicon/machines/)";
    if (!run->options.machine[0])
        return NULL;
    ini = file_read(run->options.machine, &size);
    *why = strerror(errno);
    if (!ini)
        return NULL;
    *why = complaint;
    if (silicon_describe(&description, ini, size, complaint, sizeof complaint)) {
        if (run->options.memory && run->options.memory < description.span)
            description.span = run->options.memory;
        machine = silicon_open(host, &description, run->options.request.seed, run->recording, why);
    }
    free(ini);
    return machine;
}

bool program_check(struct machine *machine, struct stage *stage)
{
    (void)machine, (void)stage;
    return true;
}
