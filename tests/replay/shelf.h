// SPDX-License-Identifier: BSD-2-Clause
/* shelf.h: the records of a recording, found by kind and key, each given out once and in order.
 *
 * A stretch is what one machine_protect recorded; its own record closes it. Inside a stretch only its own records are
 * given out: a request that this stretch never made is not answered with another probe's reading. */
#pragma once
#include "kernel/record.h"

struct item {
    struct record record;
    size_t next; /* the next item of the same kind and key, NO_ITEM for none */
    bool taken;
};

/* Items of one kind and key. */
struct pile {
    uint64_t name; /* kind and key; 0: no pile */
    size_t first;  /* the next item to give out */
};

struct shelf {
    struct item *items;
    size_t count;
    struct pile *piles;
    size_t pile_count;         /* a power of two */
    size_t stretch_start, end; /* items of the present stretch; outside of one: all that are left */
    uint64_t not_found;
};

/* Takes the records of a checked recording. False: no memory. */
bool shelf_fill(struct shelf *, const void *bytes, size_t size);
void shelf_empty(struct shelf *);

/* The payload of the next record of this kind and key. */
bool shelf_take(struct shelf *, enum record_kind, uint32_t key, struct cursor *payload);

/* The payload of the next record of this kind if it begins with this number, the cursor behind that. */
bool shelf_take_number(struct shelf *, enum record_kind, uint64_t number, struct cursor *payload);

/* Begins the next stretch: gives out its closing record. */
bool shelf_next_stretch(struct shelf *, struct cursor *payload);
void shelf_end_stretch(struct shelf *);

/* The first text noted under this name. */
bool shelf_text(struct shelf *, const char *name, char *to, size_t capacity);

uint64_t shelf_unasked(const struct shelf *); /* answers that nobody asked for */
