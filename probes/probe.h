// SPDX-License-Identifier: BSD-2-Clause
/* probe.h: the list of probes, one row each. Adding a probe is one file and one row (probes/probes.c). */
#pragma once
#include "kernel/machine.h"
#include "probes/finding.h"

/* What the user asked for that a probe may know. */
struct request {
    uint64_t seed;   /* of everything pseudo-random: same seed, same machine, same requests */
    bool all_memory; /* latency: go on to the end of the memory */
    bool contiguous; /* the user vouches that granted memory is physically contiguous */
};

struct probe {
    const char *name;    /* "l1d" */
    const char *answers; /* one line for --help */
    const char *ids;     /* findings that it always leaves, one way or the other, blank-separated */
    /* Measures. False: it was told to skip (machine_rest). Whatever it has noted by then stays. */
    bool (*measure)(struct machine *, const struct request *, struct notebook *);
    unsigned usual_ms; /* how long it usually takes, for the forecast of the first run's first seconds alone */
    bool quick;        /* part of a quick run: it answers within a few seconds */
    const char *needs; /* probes before it whose findings it goes by, separated by commas; NULL: none */
    bool trial;        /* on trial: runs only when it is named */
    bool translation;  /* one of those whose visits are counted together (probes/budget.h) */
};

extern const struct probe probe_list[]; /* in the order of a full run */
extern const unsigned probe_count;
