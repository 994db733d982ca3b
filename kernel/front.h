// SPDX-License-Identifier: BSD-2-Clause
/* front.h: the part of a machine that all four implementations share, and what each of them supplies behind it.
 *
 * machine_*() (front.c) checks arguments, counts steps and records; back_*() does the work. So what a refused call
 * says, what a step is and what a recording holds are the same everywhere, and a replay is just one more back. Each
 * implementation defines struct machine with `struct front front` as its first member. */
#pragma once
#include "kernel/owner.h"
#include "kernel/record.h"

struct front {
    char why[160];
    uint64_t steps;
    uint64_t rests;
    struct view view;            /* set by the back when it opens */
    struct recording *recording; /* NULL: not recorded; set by the back when it opens */
    uint64_t calls, answered;    /* calls that were handed to the back, and those that came back from it */
    uint64_t disturbances, lost; /* summed over all readings */
    bool grounded;               /* the recording has the ground */
};

/* Says why a call is refused (a format as in base/text.h) and returns false: `return refuse(machine, "no ...")`. */
bool refuse(struct machine *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What each request is known by in a recording: a CRC of its kind and of all that it asked for. */
uint32_t key_run(const struct task *, size_t count);
uint32_t key_script(const struct visit *, size_t count); /* values count only where they are asked for: store, wait */
uint32_t key_block(const struct block *, uint64_t steps);
uint32_t key_listen(uint64_t ticks);
uint32_t key_count(unsigned slot, unsigned event, uint64_t raw);
uint32_t key_turn(enum knob, bool on);
uint32_t key_knob(enum knob);
uint32_t key_entry(uint64_t va, unsigned level);

/* The backs: same contract as the machine_ functions of the same name, arguments already checked (operation in range,
 * counts within the MAX_ constants, lap numbers, alignment of a mapping to its page size, addresses of a mapping inside
 * the view and the spans). */
bool back_span(struct machine *, unsigned index, struct span *);
struct clock back_clock(struct machine *);
unsigned back_cores(struct machine *);
uint64_t back_page(struct machine *, unsigned index);
bool back_map(struct machine *, uint64_t va, uint64_t pa, uint64_t size, uint64_t page, enum memtype);
uint64_t *back_entry(struct machine *, uint64_t va, unsigned level);
void *back_at(struct machine *, uint64_t pa);
bool back_link(struct machine *, enum op, uint64_t from, uint64_t to);
bool back_run(struct machine *, const struct task *, size_t count, struct reading *each);
bool back_script(struct machine *, struct visit *, size_t count, struct reading lap[MAX_LAPS]);
bool back_block(struct machine *, const struct block *, uint64_t steps, struct reading *);
bool back_listen(struct machine *, uint64_t ticks, uint64_t gap[64]);
bool back_count(struct machine *, unsigned slot, unsigned event, uint64_t raw);
bool back_turn(struct machine *, enum knob, bool on);
const char *back_knob(struct machine *, enum knob);
bool back_rest(struct machine *, unsigned permille_done);
bool back_protect(struct machine *, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *);
const struct facts *back_facts(struct machine *);
uint64_t back_now(struct machine *);
unsigned back_processors(struct machine *);
void back_close(struct machine *);
