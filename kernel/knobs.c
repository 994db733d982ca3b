// SPDX-License-Identifier: BSD-2-Clause
/* knobs.c: the switches of machine_turn(): hardware prefetchers. A set bit turns a prefetcher off. A switch exists
 * where its bit could be changed and read back; it is turned back when the probe ends, and during every rest. */
#include "kernel/features.h"
#include "kernel/quiet.h"

struct toggle {
    enum listed msr;
    unsigned bit;
    const char *name;
};

enum { TOGGLES = 9 };

/* Intel SDM volume 4, MSR_MISC_FEATURE_CONTROL, from Nehalem on; bits from 4 up on newer cores only. */
static const struct toggle intel[TOGGLES] = {
    {LISTED_MISC_FEATURE_CONTROL, 0, "L2 streamer"},    {LISTED_MISC_FEATURE_CONTROL, 1, "L2 adjacent line"},
    {LISTED_MISC_FEATURE_CONTROL, 2, "L1D next line"},  {LISTED_MISC_FEATURE_CONTROL, 3, "L1D stride by instruction"},
    {LISTED_MISC_FEATURE_CONTROL, 4, "L1D next page"},  {LISTED_MISC_FEATURE_CONTROL, 5, "L2 multipath"},
    {LISTED_MISC_FEATURE_CONTROL, 6, "L3 page"},        {LISTED_MISC_FEATURE_CONTROL, 7, "array of pointers"},
    {LISTED_MISC_FEATURE_CONTROL, 8, "L2 code stream"},
};

/* Intel SDM volume 4, IA32_MISC_ENABLE, as Core 2 has it. */
static const struct toggle intel_core2[TOGGLES] = {
    {LISTED_MISC_ENABLE, 9, "L2 streamer"},
    {LISTED_MISC_ENABLE, 19, "L2 adjacent line"},
    {LISTED_MISC_ENABLE, 37, "L1D next line"},
    {LISTED_MISC_ENABLE, 39, "L1D stride by instruction"},
};

/* AMD Processor Programming Reference, PrefetchControl, from Zen 3 on. */
static const struct toggle amd[TOGGLES] = {
    {LISTED_PREFETCH_CONTROL, 0, "L1 stream"},  {LISTED_PREFETCH_CONTROL, 1, "L1 stride"},
    {LISTED_PREFETCH_CONTROL, 2, "L1 region"},  {LISTED_PREFETCH_CONTROL, 3, "L2 stream"},
    {LISTED_PREFETCH_CONTROL, 5, "L2 up/down"},
};

/* AMD BIOS and Kernel Developer's Guides of families 10h and 12h, DC_CFG: DisHwPf. */
static const struct toggle amd_10h[TOGGLES] = {{LISTED_DC_CFG, 13, "L1D hardware"}};

/* Zen 1 and 2: of the same MSR another bit, in no manual but measured (arXiv 2204.03290). That of the L2 prefetcher
 * lies in CU_CFG3 and is 0 when it is off: left as it is. */
static const struct toggle amd_17h[TOGGLES] = {{LISTED_DC_CFG, 16, "L1D hardware"}};

/* The switches that this processor may have; NULL: none is known. */
static const struct toggle *toggles_of(const struct features *features)
{
    if (listed_applies(features, LISTED_MISC_FEATURE_CONTROL))
        return intel;
    if (listed_applies(features, LISTED_MISC_ENABLE))
        return intel_core2;
    if (listed_applies(features, LISTED_PREFETCH_CONTROL))
        return amd;
    if (listed_applies(features, LISTED_DC_CFG))
        return features->family == FAMILY_ZEN ? amd_17h : amd_10h;
    return NULL;
}

/* The row of a switch; NULL: this processor has none there. */
static const struct toggle *toggle_of(const struct machine *machine, unsigned row)
{
    const struct toggle *toggles = toggles_of(&machine->features);

    return toggles && row < TOGGLES && toggles[row].name ? &toggles[row] : NULL;
}

/* Writes a value to a listed MSR and reads it back. False: refused, and the old value is there again. */
static bool change(struct machine *machine, enum listed msr, uint64_t value)
{
    struct processor *processor = machine->processor[machine->here];
    uint64_t back = ~value;

    if (!processor->there[msr])
        return false;
    if (msr_write(machine, listed_number(msr), value) && msr_read(machine, listed_number(msr), &back) &&
        back == value) {
        processor->now[msr] = value;
        return true;
    }
    msr_write(machine, listed_number(msr), processor->now[msr]);
    return false;
}

void knobs_explore(struct machine *machine)
{
    struct processor *processor = machine->processor[machine->here];

    machine->switches = 0;
    for (unsigned row = 0; row < TOGGLES; row++) {
        const struct toggle *toggle = toggle_of(machine, row);
        uint64_t before;

        if (!toggle)
            continue;
        before = processor->now[toggle->msr];
        if (change(machine, toggle->msr, before ^ 1ull << toggle->bit))
            machine->switches |= 1u << row;
        if (processor->now[toggle->msr] != before)
            change(machine, toggle->msr, before);
    }
}

/* Out of quiet, where it could not be entered again after a rest, the MSRs are the firmware's already. */
void knobs_undo(struct machine *machine)
{
    struct processor *processor = machine->processor[machine->here];

    for (unsigned row = 0; row < TOGGLES; row++) {
        const struct toggle *toggle = toggle_of(machine, row);

        if (toggle && !machine->quiet)
            processor->now[toggle->msr] = processor->found.msr[toggle->msr];
        else if (toggle && processor->there[toggle->msr] &&
                 processor->now[toggle->msr] != processor->found.msr[toggle->msr])
            change(machine, toggle->msr, processor->found.msr[toggle->msr]);
    }
}

const char *back_knob(struct machine *machine, enum knob knob)
{
    unsigned row = (unsigned)knob - KNOB_PREFETCH_FIRST;
    const struct toggle *toggle = knob <= KNOB_PREFETCH_LAST ? toggle_of(machine, row) : NULL;

    if (!toggle || !(machine->switches >> row & 1)) {
        refuse(machine, "switch %u is absent", (unsigned)knob);
        return NULL;
    }
    return toggle->name;
}

bool back_turn(struct machine *machine, enum knob knob, bool on)
{
    unsigned row = (unsigned)knob - KNOB_PREFETCH_FIRST;
    const struct toggle *toggle;
    uint64_t bit, now;

    if (!back_knob(machine, knob))
        return false;
    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    toggle = toggle_of(machine, row);
    bit = 1ull << toggle->bit;
    now = machine->processor[machine->here]->now[toggle->msr];
    if (!change(machine, toggle->msr, on ? now & ~bit : now | bit))
        return refuse(machine, "%s bit %u (%s) does not change", listed_name(toggle->msr), toggle->bit, toggle->name);
    return true;
}
