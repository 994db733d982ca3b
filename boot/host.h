// SPDX-License-Identifier: BSD-2-Clause
/* host.h: the machine's host (kernel/host.h) over firmware, as the files of boot/ share it. */
#pragma once
#include "boot/mp_services.h"
#include "boot/stage.h"
#include "kernel/host.h"

enum { MAX_OTHERS = 255 };

/* Another processor. Its first errand is an empty one: whether it answers at all. */
struct other {
    UINTN number; /* the firmware's */
    struct mp_location location;
    bool tried, answers;
};

struct host {
    struct stage *stage;
    struct mp_services *services;   /* NULL: other processors cannot be reached */
    struct mp_location here;        /* of the boot processor */
    struct other other[MAX_OTHERS]; /* the processors 1 and up */
    unsigned others;
    EFI_TPL level; /* to go back to in host_resume */
    bool paused;
    /* Another processor is running our code, and this one waits for it inside the firmware. The two share these. */
    volatile bool elsewhere;
    volatile unsigned permille;
    volatile bool stop;
    char why[160];
};

void host_open(struct host *, struct stage *);
