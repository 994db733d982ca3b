// SPDX-License-Identifier: BSD-2-Clause
/* quiet.c: entering and leaving quiet mode. The order matters: tables for faults come first and go last, the page
 * tables change while the address-space tags are those of the firmware, and whatever our tables rely on (no-execute,
 * memory types) is there before them and gone after them. Sources: Intel SDM volume 3, 4.10.4 (what flushes
 * translations), 12.12.4 (changing the PAT), 13 (XCR0). */
#include "kernel/quiet.h"
#include "kernel/levels.h"

static const uint64_t CR4_FRED = 1ull << 32, S_CET_SHADOW_STACK = 1;

void quiet_read_state(const struct features *features, const bool there[LISTED_MSRS], struct state *state)
{
    state->cr0 = cpu_cr0();
    state->cr3 = cpu_cr3();
    state->cr4 = cpu_cr4();
    state->efer = cpu_msr(IA32_EFER);
    state->pat = features->pat ? cpu_msr(IA32_PAT) : 0;
    state->dr7 = cpu_dr7();
    state->gdtr = cpu_gdtr();
    state->idtr = cpu_idtr();
    state->tr = cpu_tr();
    state->ldtr = cpu_ldtr();
    cpu_segments(state->segment);
    state->xcr0 = 0;
    if (features->xsave) { /* XCR0 can be read only while CR4 enables it */
        cpu_set_cr4(state->cr4 | CR4_OSXSAVE);
        state->xcr0 = cpu_xcr0();
        cpu_set_cr4(state->cr4);
    }
    state->fcw = state->cr0 & (CR0_TS | CR0_EM) ? 0 : cpu_fcw();
    state->mxcsr = state->cr0 & (CR0_TS | CR0_EM) || !(state->cr4 & CR4_OSFXSR) ? 0 : cpu_mxcsr();
    for (unsigned i = 0; i < LISTED_MSRS; i++)
        state->msr[i] = there[i] ? cpu_msr(listed_number(i)) : 0;
}

static const char *refusal(const struct machine *machine, const struct state *found)
{
    if (((found->cr4 & CR4_LA57) != 0) != machine->features.five_levels)
        return "this processor's page tables have another number of levels than the boot processor's";
    if (found->cr4 & CR4_FRED)
        return "the firmware delivers faults by FRED";
    if ((found->cr4 & CR4_CET) && (cpu_msr(IA32_S_CET) & S_CET_SHADOW_STACK))
        return "the firmware runs with shadow stacks";
    return NULL;
}

static uint64_t quiet_cr4(const struct features *features, uint64_t found)
{
    uint64_t cr4 = found & ~(uint64_t)(CR4_PGE | CR4_PCIDE | CR4_TSD | CR4_CET);

    cr4 |= CR4_OSFXSR | CR4_OSXMMEXCPT;
    if (features->mce)
        cr4 |= CR4_MCE;
    if (features->xsave)
        cr4 |= CR4_OSXSAVE;
    return cr4;
}

static void load_tables(struct machine *machine, const struct state *found)
{
    const struct features *features = &machine->features;
    uint64_t cr3 = (uint64_t)(uintptr_t)machine->tables.root | machine->tables.encryption;

    if (features->nx)
        cpu_set_msr(IA32_EFER, found->efer | EFER_NXE);
    cpu_set_cr0((found->cr0 & ~(uint64_t)(CR0_TS | CR0_EM)) | CR0_MP | CR0_NE | CR0_WP);
    /* tag 0: what CR4.PCIDE needs to be cleared, and to be set again */
    cpu_set_cr3(machine->low ? found->cr3 & ENTRY_ADDRESS : cr3);
    cpu_set_cr4(quiet_cr4(features, found->cr4));
    if (machine->low) {
        levels_five(machine->low);
        cpu_set_cr3(cr3);
    }
    if (features->pat) {
        cpu_set_msr(IA32_PAT, machine->pat);
        cpu_set_cr3(cr3);
    }
    if (features->xsave)
        cpu_set_xcr0(features->xcr0);
}

/* The MSRs of the list: which are there (tried once), what they hold, and what quiet wants in them. */
static void load_msrs(struct machine *machine, struct processor *processor)
{
    for (unsigned i = 0; i < LISTED_MSRS; i++) {
        if (!processor->explored) {
            processor->there[i] =
                listed_applies(&machine->features, i) && msr_read(machine, listed_number(i), &processor->found.msr[i]);
            processor->now[i] = processor->found.msr[i];
            if (i == LISTED_DE_CFG)
                processor->now[i] |= 2; /* LFENCE waits for all instructions before it (AMD families 10h to 17h) */
        }
        if (processor->there[i] && processor->now[i] != processor->found.msr[i] &&
            !msr_write(machine, listed_number(i), processor->now[i]))
            processor->now[i] = processor->found.msr[i];
    }
    processor->explored = true;
}

/* What the machine check banks hold from before: no error of this quiet period. */
static void note_banks(struct machine *machine, struct processor *processor)
{
    uint64_t capability;

    processor->banks = 0;
    if (!machine->features.mce || !msr_read(machine, IA32_MCG_CAP, &capability))
        return;
    processor->banks = capability & 0xff;
    if (processor->banks > MAX_BANKS)
        processor->banks = MAX_BANKS;
    for (unsigned i = 0; i < processor->banks; i++) {
        if (!msr_read(machine, IA32_MC0_STATUS + 4 * i, &processor->bank[i]))
            processor->banks = i; /* the handler reads without a guard */
    }
}

const char *quiet_enter(struct machine *machine)
{
    struct processor *processor = machine->processor[machine->here];
    struct state *found = &processor->found;
    struct recovery *recovery = processor->recovery;
    const char *why;

    if (machine->here == 0)
        host_pause(machine->setup.host);
    processor->flags = cpu_interrupts_off();
    quiet_read_state(&machine->features, processor->there, found);
    why = refusal(machine, found);
    if (!why && !descriptors_build(processor, found))
        why = "a segment in use lies too far up in the firmware's segment table";
    if (why) {
        cpu_set_flags(processor->flags);
        if (machine->here == 0)
            host_resume(machine->setup.host);
        return why;
    }
    const uint64_t *top = (const uint64_t *)(uintptr_t)(found->cr3 & ENTRY_ADDRESS & ~machine->tables.encryption);
    pages_refresh(&machine->tables, machine->low ? levels_top(machine->low, top) : top);
    processor->switching = true;
    processor->recovery = NULL;
    descriptors_load(processor);
    load_tables(machine, found);
    cpu_set_dr7(DR7_FIXED);
    cpu_save_float(processor->float_area);
    cpu_fresh_float();
    machine->quiet = true;
    load_msrs(machine, processor);
    note_banks(machine, processor);
    processor->recovery = recovery;
    processor->switching = false;
    return NULL;
}

void quiet_leave(struct machine *machine)
{
    struct processor *processor = machine->processor[machine->here];
    const struct features *features = &machine->features;
    const struct state *found = &processor->found;
    struct recovery *recovery = processor->recovery;

    processor->switching = true;
    processor->recovery = NULL;
    for (unsigned i = 0; i < LISTED_MSRS; i++) {
        if (processor->there[i] && processor->now[i] != found->msr[i])
            msr_write(machine, listed_number(i), found->msr[i]);
    }
    machine->quiet = false;
    if (features->avx)
        cpu_zero_upper();
    if (features->xsave)
        cpu_set_xcr0(found->xcr0);
    cpu_load_float(processor->float_area);
    if (machine->low)
        levels_four(machine->low);
    cpu_set_cr4(found->cr4);
    cpu_set_cr0(found->cr0);
    cpu_set_cr3(found->cr3);
    if (features->pat) {
        cpu_set_msr(IA32_PAT, found->pat);
        cpu_set_cr3(found->cr3);
    }
    cpu_set_msr(IA32_EFER, found->efer);
    cpu_set_idtr(found->idtr);
    cpu_set_gdtr(found->gdtr);
    cpu_set_dr7(found->dr7);
    processor->recovery = recovery;
    processor->switching = false;
    cpu_set_flags(processor->flags);
    if (machine->here == 0)
        host_resume(machine->setup.host);
}
