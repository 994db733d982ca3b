// SPDX-License-Identifier: BSD-2-Clause
/* payload.h: what is in each kind of record. Every payload has one description, used in both directions: the front
 * writes by it, a replay reads by it. */
#pragma once
#include "kernel/owner.h"
#include "kernel/record.h"

/* A payload on its way: into a recording (then `from` is NULL) or out of one (then `to` is NULL). */
struct payload {
    struct recording *to;
    struct cursor *from;
};

enum { MAX_SPANS = 16, MAX_PAGE_SIZES = 8, WHY_SIZE = 160 };

/* What a machine is before anything is asked of it. */
struct ground {
    struct view view;
    struct clock clock;
    unsigned cores, processors, spans, page_sizes;
    struct span span[MAX_SPANS];
    uint64_t page[MAX_PAGE_SIZES];
};

void payload_number(struct payload *, uint64_t *);
void payload_string(struct payload *, char *, size_t capacity);

/* Whether a call was served, and why not when it was not; returns what *served is then. why: WHY_SIZE bytes. */
bool payload_answer(struct payload *, bool *served, char *why);

void payload_ground(struct payload *, struct ground *);
void payload_facts(struct payload *, struct facts *);
void payload_reading(struct payload *, struct reading *);
void payload_fault(struct payload *, struct fault *);
void payload_gaps(struct payload *, uint64_t gap[64]);

/* The readings of the laps that the visits name, and the words that their loads read. The visits themselves are the
 * request and are not stored. */
void payload_laps(struct payload *, const struct visit *, size_t count, struct reading lap[MAX_LAPS]);
void payload_values(struct payload *, struct visit *, size_t count);
