// SPDX-License-Identifier: BSD-2-Clause
/* contract_inside.h: what the parts of the contract share: the ground that they stand on, and how they say what held.
 */
#pragma once
#include "tests/machine/contract.h"

enum {
    STOPS = 16,   /* of a small walk */
    STRIDE = 64,  /* bytes between them */
    LINES = 5,    /* of a small stream */
    STEPS = 1000, /* not a multiple of anything that loops are unrolled by */
    TRIES = 5,
    WORD = 0x5a17
};

/* Where a contract runs: page-sized slots of the view and of the span. */
struct ground {
    struct machine *machine;
    struct view view;
    struct span span;
    uint64_t page, largest; /* bytes */
};

static inline uint64_t slot_va(const struct ground *ground, unsigned slot)
{
    return ground->view.base + slot * 4 * ground->page;
}

static inline uint64_t slot_pa(const struct ground *ground, unsigned slot)
{
    uint64_t first = (ground->span.base + ground->page - 1) / ground->page * ground->page;

    return first + slot * ground->page;
}

/* The last refusal's reason, for a check that did not hold. */
static inline void check(const struct ground *ground, const char *name, bool held)
{
    contract_check(name, held, held ? "" : machine_why(ground->machine));
}

/* A refusal is fine if it says why. Returns whether the call was served. */
static inline bool served(const struct ground *ground, const char *name, bool was_served)
{
    const char *why = machine_why(ground->machine);

    if (!was_served)
        contract_check(name, why != NULL && why[0] != '\0', "refused without a reason");
    return was_served;
}

static inline void check_refused(const struct ground *ground, const char *name, bool was_served)
{
    const char *why = machine_why(ground->machine);

    contract_check(name, !was_served && why != NULL && why[0] != '\0', "");
}

static inline bool map_slot(const struct ground *ground, unsigned slot, unsigned pa_slot)
{
    return machine_map(ground->machine, slot_va(ground, slot), slot_pa(ground, pa_slot), ground->page, ground->page,
                       MEM_WB);
}

static inline void unmap_slot(const struct ground *ground, unsigned slot)
{
    check(ground, "a mapping is taken away",
          machine_map(ground->machine, slot_va(ground, slot), 0, ground->page, 0, MEM_WB));
}

/* One untimed visit; *value in and out. */
static inline bool visit_once(const struct ground *ground, enum op op, uint64_t va, uint64_t *value)
{
    struct visit visit[2] = {{.op = op, .va = va, .value = *value}, {.op = OP_FENCE}};
    struct reading lap[MAX_LAPS];

    if (!machine_script(ground->machine, visit, 2, lap))
        return false;
    *value = visit[0].value;
    return true;
}

static inline bool holds(const struct ground *ground, uint64_t va, uint64_t expected)
{
    uint64_t value = ~expected;

    return visit_once(ground, OP_LOAD, va, &value) && value == expected;
}

static inline bool store(const struct ground *ground, uint64_t va, uint64_t value)
{
    return visit_once(ground, OP_STORE, va, &value);
}

/* contract_runs.c: walks, interleaved ones, streams, and what is refused. */
void contract_runs(const struct ground *);
