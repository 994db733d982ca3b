// SPDX-License-Identifier: BSD-2-Clause
/* xray_inside.h: known to xray*.c alone: the sequences of paper 000 and how long an access takes in them. */
#pragma once
#include "tests/peers/xray.h"

enum {
    POINTER = 8, /* bytes of an element of the array, in which the paper's strides are counted (section 4.2) */
    NESTED = 3
};

/* A sequence of sequences (Definition 4), nested once more for Figure 8: count[0] points that are stride[0] apart,
 * count[1] such groups that are stride[1] apart, count[2] of these. Strides in bytes. */
struct xray_sequence {
    uint64_t stride[NESTED], count[NESTED];
};

enum xray_halt { XRAY_GOES_ON, XRAY_TOO_LARGE, XRAY_REFUSED };

struct xray_work {
    struct machine *machine;
    struct xray *found;
    uint64_t base, size, mapped; /* of the array: an address, bytes, and those of its pages */
    double cycle;                /* seconds of a core cycle */
    enum xray_halt halt; /* what ended it: a sequence that the array is too small for, a call that was refused */
};

/* The clock of the core, which latencies are told in. False: refused. */
bool xray_time_core(struct xray_work *);

/* Maps the array anew, of at most `size` bytes, in pages of exactly `page` bytes. False: not one such page fits. */
bool xray_map(struct xray_work *, uint64_t page, uint64_t size);
void xray_unmap(struct xray_work *);

/* The average time of an access to the elements of a sequence, in core cycles. False: work->halt. */
bool xray_time(struct xray_work *, const struct xray_sequence *, double *cycles);
