// SPDX-License-Identifier: BSD-2-Clause
/* session.h: everything that a run or a self-test works with, opened in order and closed in reverse. */
#pragma once
#include "boot/host.h"
#include "boot/identity.h"
#include "boot/memory.h"
#include "kernel/record.h"
#include "run/run.h"

struct session {
    struct stage *stage;
    struct host host;
    struct board board;
    struct memory memory;
    struct recording recording;
    struct run *run;
    struct machine *machine;
};

/* Takes memory and opens the machine, and says on the console what it found. False: it cannot be done, and the console
 * says why. The session is large and zeroed: allocate it. */
bool session_open(struct session *, struct stage *, const struct options *);

/* Closes the machine. The memory stays taken until memory_free. */
void session_close(struct session *);
