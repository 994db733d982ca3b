// SPDX-License-Identifier: BSD-2-Clause
/* counters.c: counting. Everything that the model can count is added up for ever; a counter is a difference of such
 * sums, from the moment on at which it was written or its control changed. The registers are the vendors' own:
 * counters_intel.c, counters_amd.c.
 *
 * Rules and where they come from:
 * - A counter has a width and wraps there; that sets its bit among the overflows (Intel SDM volume 3, "Architectural
 *   performance monitoring"; AMD APM volume 2, "Performance monitoring counters").
 * - An event is an event number and a unit mask. Mask bits may be set together: then whatever one of them selects is
 *   counted, and what is part of another one that is selected, too, is not counted twice (same places).
 * - Edge detection turns cycles of walks into walks: a walk begins where none was going on (SDM, E bit). A counter mask
 *   of 1 asks for cycles with one event at least, which is the same number here, as the model counts one event at a
 *   time; larger masks, and masks with the sense inverted, find nothing.
 * - Everything runs at privilege level 0, as the image does: a counter that is told to count user code only stands
 * still.
 * - Errata: a rate other than 1000 of 1000 (over- and undercounting; for instance Intel's specification updates on
 *   MEM_LOAD_RETIRED events of Haswell and Broadwell, which undercount), a counter that shows one more than it should,
 *   and counters that stand still in system management mode (IA32_DEBUGCTL's FREEZE_WHILE_SMM, SDM volume 3, for which
 *   IA32_PERF_CAPABILITIES has a bit). */
#include "tests/silicon/counters_inside.h"
#include <stdlib.h>

struct counters *counters_create(const struct description *description)
{
    const struct counters_description *part = &description->counters;
    struct counters *counters = calloc(1, sizeof *counters);

    if (counters == NULL)
        return NULL;
    counters->description = description;
    counters->general = part->general < MAX_GENERAL ? part->general : MAX_GENERAL;
    if (part->family == COUNTERS_INTEL && part->version >= 2)
        counters->fixed = part->fixed < MAX_FIXED ? part->fixed : MAX_FIXED;
    counters->mask = part->width < 64 ? ((uint64_t)1 << part->width) - 1 : UINT64_MAX;
    for (unsigned core = 0; core < MAX_MODEL_CORES; core++) /* all general ones, after reset: see the vendors' files */
        counters->core[core].global_control = ((uint64_t)1 << counters->general) - 1;
    return counters;
}

void counters_destroy(struct counters *counters)
{
    free(counters);
}

void counters_add(struct counters *counters, unsigned core, enum counted kind, uint64_t events)
{
    struct core_counters *here = &counters->core[core];

    here->total[kind] += events;
    if (here->smm && kind != COUNTED_SMI)
        here->hidden[kind] += events;
}

uint64_t counters_total(const struct counters *counters, unsigned core, enum counted kind)
{
    return counters->core[core].total[kind];
}

void counters_smm(struct counters *counters, unsigned core, bool inside)
{
    counters->core[core].smm = inside && counters->description->counters.stops_in_smm;
}

uint64_t counters_bits(const struct counters *counters)
{
    return (((uint64_t)1 << counters->general) - 1) | (((uint64_t)1 << counters->fixed) - 1) << FIXED_BIT;
}

static uint64_t seen(const struct core_counters *here, enum counted kind)
{
    return here->total[kind] - here->hidden[kind];
}

/* The kinds of event that are part of another one. */
static uint32_t parts_of(enum counted kind)
{
    switch (kind) {
    case COUNTED_L1D_MISS:
        return 1u << COUNTED_L2_MISS | 1u << COUNTED_L3_MISS;
    case COUNTED_L2_MISS:
        return 1u << COUNTED_L3_MISS;
    case COUNTED_DTLB1_MISS:
        return 1u << COUNTED_DTLB2_HIT | 1u << COUNTED_WALK | 1u << COUNTED_PDE_MISS;
    case COUNTED_WALK:
        return 1u << COUNTED_PDE_MISS;
    case COUNTED_ITLB1_MISS:
        return 1u << COUNTED_ITLB_WALK;
    default:
        return 0;
    }
}

/* The bits of an event select register as a description's encoding has them: twelve bits of event with AMD. */
static unsigned event_of(const struct counters *counters, uint64_t select)
{
    unsigned high = counters->description->counters.family == COUNTERS_AMD ? (unsigned)(select >> 24) & 0xF00 : 0;

    return (unsigned)(select & SELECT_EVENT) | high;
}

static unsigned umask_of(uint64_t select)
{
    return (unsigned)(select >> 8) & 0xFF;
}

/* What an event select register selects: kinds of event, the thousandths that each counts for, and an erratum. */
struct selection {
    uint32_t kinds;
    unsigned per_thousand[COUNTED_COUNT];
    bool always_one;
};

static void select_kind(struct selection *selection, const struct encoding *encoding)
{
    selection->kinds |= 1u << encoding->counts;
    selection->per_thousand[encoding->counts] = encoding->per_thousand;
    selection->always_one |= encoding->always_one;
}

static void select_exactly(const struct counters *counters, unsigned event, unsigned umask, struct selection *selection)
{
    const struct counters_description *part = &counters->description->counters;
    enum counted kind;

    for (unsigned i = 0; i < part->encodings; i++) {
        if (part->encoding[i].event == event && part->encoding[i].umask == umask) {
            select_kind(selection, &part->encoding[i]);
            return;
        }
    }
    kind = part->family == COUNTERS_AMD ? amd_architectural(counters, event, umask)
                                        : intel_architectural(counters, event, umask);
    if (kind != COUNTED_COUNT)
        select_kind(selection, &(struct encoding){.counts = kind, .per_thousand = 1000});
}

/* Encodings whose mask bits are all set in `umask`; parts of others are left out. */
static void select_together(const struct counters *counters, unsigned event, unsigned umask,
                            struct selection *selection)
{
    const struct counters_description *part = &counters->description->counters;
    uint32_t parts = 0;

    for (unsigned i = 0; i < part->encodings; i++) {
        const struct encoding *encoding = &part->encoding[i];

        if (encoding->event == event && encoding->umask != 0 && (encoding->umask & ~umask) == 0)
            select_kind(selection, encoding);
    }
    for (unsigned kind = 0; kind < COUNTED_COUNT; kind++) {
        if (selection->kinds >> kind & 1)
            parts |= parts_of(kind);
    }
    selection->kinds &= ~parts;
}

static struct selection selection_of(const struct counters *counters, uint64_t select)
{
    struct selection selection = {0};
    uint32_t cycles = 1u << COUNTED_WALK_CYCLES;
    unsigned least = (unsigned)(select >> 24) & 0xFF;

    if (least > 1 || (least == 1 && select & SELECT_INVERT))
        return selection;
    select_exactly(counters, event_of(counters, select), umask_of(select), &selection);
    if (selection.kinds == 0)
        select_together(counters, event_of(counters, select), umask_of(select), &selection);
    if (select & SELECT_EDGE && selection.kinds & cycles) {
        selection.kinds = (selection.kinds & ~cycles) | 1u << COUNTED_WALK;
        selection.per_thousand[COUNTED_WALK] = selection.per_thousand[COUNTED_WALK_CYCLES];
    }
    return selection;
}

/* Thousandths of selected events since the start. */
static uint64_t selected(const struct counters *counters, const struct core_counters *here, uint64_t select)
{
    struct selection selection = selection_of(counters, select);
    uint64_t sum = 0;

    for (unsigned kind = 0; kind < COUNTED_COUNT; kind++) {
        if (selection.kinds >> kind & 1)
            sum += seen(here, kind) * selection.per_thousand[kind];
    }
    return sum;
}

/* The same for a fixed counter. Reference cycles go by with the clock, but for those in SMM when it stops them; issue
 * slots are not modelled and stand still. */
static uint64_t fixed_events(const struct counters *counters, const struct core_counters *here, unsigned number,
                             uint64_t ticks)
{
    const struct clock_description *clock = &counters->description->clock;

    switch (number) {
    case FIXED_INSTRUCTIONS:
        return seen(here, COUNTED_INSTRUCTIONS) * 1000;
    case FIXED_CYCLES:
        return seen(here, COUNTED_CYCLES) * 1000;
    case FIXED_REFERENCE:
        return (ticks - here->hidden[COUNTED_CYCLES] * clock->ratio_clock / clock->ratio_core) * 1000;
    default:
        return 0;
    }
}

static bool general_runs(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    return counters->description->counters.family == COUNTERS_AMD ? amd_general_runs(counters, here, number)
                                                                  : intel_general_runs(counters, here, number);
}

/* The counter as it is after `events` thousandths since the start, not yet wrapped. */
static struct counter advanced(const struct counter *counter, bool runs, uint64_t events)
{
    uint64_t thousandths = runs ? events - counter->start + counter->thousandth : counter->thousandth;

    return (struct counter){counter->value + thousandths / 1000, (unsigned)(thousandths % 1000), events};
}

static struct counter general_now(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    return advanced(&here->general[number], general_runs(counters, here, number),
                    selected(counters, here, here->select[number]));
}

static struct counter fixed_now(const struct counters *counters, const struct core_counters *here, unsigned number,
                                uint64_t ticks)
{
    return advanced(&here->fixed[number], intel_fixed_runs(counters, here, number),
                    fixed_events(counters, here, number, ticks));
}

uint64_t counters_general(const struct counters *counters, const struct core_counters *here, unsigned number)
{
    bool one_more = selection_of(counters, here->select[number]).always_one;

    return (general_now(counters, here, number).value + one_more) & counters->mask;
}

uint64_t counters_fixed(const struct counters *counters, const struct core_counters *here, unsigned number,
                        uint64_t ticks)
{
    return fixed_now(counters, here, number, ticks).value & counters->mask;
}

uint64_t counters_overflows(const struct counters *counters, const struct core_counters *here, uint64_t ticks)
{
    uint64_t bits = here->overflows;

    for (unsigned i = 0; i < counters->general; i++) {
        if (general_now(counters, here, i).value > counters->mask)
            bits |= (uint64_t)1 << i;
    }
    for (unsigned i = 0; i < counters->fixed; i++) {
        if (fixed_now(counters, here, i, ticks).value > counters->mask)
            bits |= (uint64_t)1 << (FIXED_BIT + i);
    }
    return bits;
}

void counters_stop(const struct counters *counters, struct core_counters *here, uint64_t ticks)
{
    here->overflows = counters_overflows(counters, here, ticks);
    for (unsigned i = 0; i < counters->general; i++) {
        here->general[i] = general_now(counters, here, i);
        here->general[i].value &= counters->mask;
    }
    for (unsigned i = 0; i < counters->fixed; i++) {
        here->fixed[i] = fixed_now(counters, here, i, ticks);
        here->fixed[i].value &= counters->mask;
    }
}

void counters_go_on(const struct counters *counters, struct core_counters *here, uint64_t ticks)
{
    for (unsigned i = 0; i < counters->general; i++)
        here->general[i].start = selected(counters, here, here->select[i]);
    for (unsigned i = 0; i < counters->fixed; i++)
        here->fixed[i].start = fixed_events(counters, here, i, ticks);
}

void counters_control(const struct counters *counters, struct core_counters *here, uint64_t ticks, uint64_t *reg,
                      uint64_t value)
{
    counters_stop(counters, here, ticks);
    *reg = value;
    counters_go_on(counters, here, ticks);
}

void counters_set(const struct counters *counters, struct core_counters *here, uint64_t ticks, struct counter *counter,
                  uint64_t value)
{
    counters_stop(counters, here, ticks);
    counter->value = value & counters->mask;
    counter->thousandth = 0;
    counters_go_on(counters, here, ticks);
}

void counters_clear_overflows(const struct counters *counters, struct core_counters *here, uint64_t ticks,
                              uint64_t bits)
{
    counters_stop(counters, here, ticks);
    here->overflows &= ~bits;
    counters_go_on(counters, here, ticks);
}

/* APERF counts core cycles and MPERF ticks of the clock (SDM volume 3, "Hardware feedback for power and performance";
 * both are writable). */
bool counters_read_perf(const struct core_counters *here, uint32_t msr, struct moment moment, uint64_t *value)
{
    if (msr == MSR_APERF)
        *value = moment.now + here->aperf_base;
    else if (msr == MSR_MPERF)
        *value = moment.ticks + here->mperf_base;
    else
        return false;
    return true;
}

bool counters_write_perf(struct core_counters *here, uint32_t msr, struct moment moment, uint64_t value)
{
    if (msr == MSR_APERF)
        here->aperf_base = value - moment.now;
    else if (msr == MSR_MPERF)
        here->mperf_base = value - moment.ticks;
    else
        return false;
    return true;
}

bool counters_read_msr(const struct counters *counters, unsigned core, uint32_t msr, uint64_t now, uint64_t ticks,
                       uint64_t *value)
{
    const struct core_counters *here = &counters->core[core];
    struct moment moment = {now, ticks};

    switch (counters->description->counters.family) {
    case COUNTERS_NONE:
        return false;
    case COUNTERS_INTEL:
        return intel_read(counters, here, msr, moment, value);
    case COUNTERS_AMD:
        return amd_read(counters, here, msr, moment, value);
    }
    return false;
}

bool counters_write_msr(struct counters *counters, unsigned core, uint32_t msr, uint64_t now, uint64_t ticks,
                        uint64_t value)
{
    struct core_counters *here = &counters->core[core];
    struct moment moment = {now, ticks};

    switch (counters->description->counters.family) {
    case COUNTERS_NONE:
        return false;
    case COUNTERS_INTEL:
        return intel_write(counters, here, msr, moment, value);
    case COUNTERS_AMD:
        return amd_write(counters, here, msr, moment, value);
    }
    return false;
}

/* The time that RDPMC takes is the caller's business (description: overhead). now: for the sake of its siblings. */
bool counters_rdpmc(const struct counters *counters, unsigned core, uint32_t index, uint64_t now, uint64_t ticks,
                    uint64_t *value)
{
    const struct core_counters *here = &counters->core[core];

    (void)now;
    if (counters->description->counters.family == COUNTERS_INTEL)
        return intel_rdpmc(counters, here, index, ticks, value);
    if (counters->description->counters.family != COUNTERS_AMD || index >= counters->general)
        return false;
    *value = counters_general(counters, here, index);
    return true;
}

/* Fixed counters do not come into it: what they are told is a write of their own MSRs. */
bool counters_select(struct counters *counters, unsigned core, unsigned slot, uint64_t raw, const char **why)
{
    struct core_counters *here = &counters->core[core];

    *why = "no such counter";
    if (counters->description->counters.family == COUNTERS_NONE || slot >= counters->general)
        return false;
    here->select[slot] = raw | SELECT_SYSTEM | SELECT_USER | SELECT_ENABLE;
    here->global_control |= (uint64_t)1 << slot;
    here->general[slot] = (struct counter){0, 0, selected(counters, here, here->select[slot])};
    if (slot != 0 && counters->description->counters.version == 0 && !(here->select[0] & SELECT_ENABLE)) {
        here->select[0] |= SELECT_ENABLE; /* the P6 family's enable bit of all counters */
        here->general[0].start = selected(counters, here, here->select[0]);
    }
    *why = NULL;
    return true;
}

uint64_t counters_slot(const struct counters *counters, unsigned core, unsigned slot)
{
    return slot < counters->general ? counters_general(counters, &counters->core[core], slot) : 0;
}
