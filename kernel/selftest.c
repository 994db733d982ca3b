// SPDX-License-Identifier: BSD-2-Clause
/* selftest.c: the kernel's promises, checked on the machine that it runs on: faults are told and survived on every
 * processor, and quiet mode leaves no trace. Checks are collected while the machine is owned and told afterwards:
 * telling needs the firmware. */
#include "base/text.h"
#include "kernel/cpu.h"
#include "kernel/owner.h"
#include "kernel/quiet.h"

enum {
    VECTOR_INVALID_OPCODE = 6,
    VECTOR_GENERAL_PROTECTION = 13,
    VECTOR_PAGE_FAULT = 14,
    PAGE_FAULT_WRITE = 2,
    NMI_WAIT_SHARE = 10, /* an NMI is waited for at most a tenth of a second */
    OTHER_PERIODS = 50,  /* quiet periods tried on each processor but the first */
    UNKNOWN_MSR = 0x5a5a5a5a
};

static const uint64_t NOT_CANONICAL = 0x8000000000000000, NO_SELECTOR = 0xfff0;

/* One check that was made in quiet. */
struct outcome {
    const char *what;
    bool held, skipped;
    struct fault fault;
};

enum { MAX_OUTCOMES = 16 };

struct outcomes {
    unsigned count;
    struct outcome at[MAX_OUTCOMES];
};

static struct outcome *add(struct outcomes *outcomes, const char *what)
{
    struct outcome *outcome = &outcomes->at[outcomes->count++];

    *outcome = (struct outcome){.what = what};
    return outcome;
}

/* The instructions that fault. */

static void read_word(void *address)
{
    uint64_t value;

    __asm__ volatile("mov (%1), %0" : "=r"(value) : "r"(address));
}

static void write_word(void *address)
{
    __asm__ volatile("movq $1, (%0)" : : "r"(address) : "memory");
}

static void jump_to(void *address)
{
    __asm__ volatile("call *%0"
                     :
                     : "r"(address)
                     : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

static void load_segment(void *selector)
{
    __asm__ volatile("mov %w0, %%es" : : "r"(selector));
}

static void undefined_instruction(void *unused)
{
    (void)unused;
    __asm__ volatile("ud2");
}

/* Expects a fault with its error code and, when it is a page fault, its address. */
static void expect(struct machine *machine, struct outcomes *outcomes, const char *what, void (*code)(void *),
                   uint64_t address, unsigned vector, uint64_t error)
{
    struct outcome *outcome = add(outcomes, what);
    bool whole = fault_try(machine, code, (void *)(uintptr_t)address, &outcome->fault);

    outcome->held = !whole && outcome->fault.vector == vector && outcome->fault.error == error &&
                    (vector != VECTOR_PAGE_FAULT || outcome->fault.cr2 == address);
}

static void try_unknown_msr(struct machine *machine, struct outcomes *outcomes)
{
    struct outcome *outcome = add(outcomes, "an MSR that does not exist is absent");
    uint64_t value = 1;

    outcome->held = !msr_read(machine, UNKNOWN_MSR, &value);
    /* Emulators and some hypervisors answer 0 instead of a fault. */
    if (!outcome->held && machine->facts.hypervisor[0] && value == 0)
        outcome->held = outcome->skipped = true;
}

/* Sends an NMI to the processor that this runs on. False: there is no local APIC to do it. */
static bool send_nmi(struct machine *machine)
{
    enum {
        ENABLED = 1 << 11,
        EXTENDED = 1 << 10,
        ID = 0x20,
        COMMAND_LOW = 0x300,
        COMMAND_HIGH = 0x310,
        PENDING = 1 << 12
    };
    const uint32_t nmi = 0x4400; /* delivery mode NMI, level assert */
    uint64_t base, id;

    if (!machine->features.apic || !msr_read(machine, IA32_APIC_BASE, &base) || !(base & ENABLED))
        return false;
    if (base & EXTENDED)
        return msr_read(machine, IA32_X2APIC_APICID, &id) && msr_write(machine, IA32_X2APIC_ICR, id << 32 | nmi);
    base &= ENTRY_ADDRESS;
    while (cpu_read_mmio(base + COMMAND_LOW) & PENDING)
        cpu_pause();
    cpu_write_mmio(base + COMMAND_HIGH, cpu_read_mmio(base + ID) & 0xff000000);
    cpu_write_mmio(base + COMMAND_LOW, nmi);
    return true;
}

static void try_nmi(struct machine *machine, struct outcomes *outcomes)
{
    struct outcome *outcome = add(outcomes, "NMI counted and returned from");
    const volatile unsigned *seen = &machine->nmi_seen;
    unsigned before = *seen;
    uint64_t start = cpu_ticks();

    if (!send_nmi(machine)) {
        outcome->held = outcome->skipped = true;
        return;
    }
    while (*seen == before && cpu_ticks() - start < machine->clock.clock.hz / NMI_WAIT_SHARE)
        cpu_pause();
    outcome->held = *seen == before + 1;
}

/* A word that is read where only five levels of tables lead. */
struct far_word {
    uint64_t va, value;
};

static void read_far(void *argument)
{
    struct far_word *word = argument;

    word->value = *(volatile uint64_t *)(uintptr_t)word->va;
}

/* With four levels there is no such address: then this is #GP. */
static void try_fifth_level(struct machine *machine, struct outcomes *outcomes, uint64_t frame)
{
    enum { PAGE = 5, WORD = 24, MARK = 0x5f17a };
    struct outcome *outcome = add(outcomes, "a walk by bits 56 and 48 ends where it should");
    struct pages *pages = &machine->tables;
    struct far_word word = {.va = 0xff55ull << 48 | PAGE * TABLE_SIZE | WORD};
    uint64_t *table;

    outcome->held = outcome->skipped = pages->levels != 5;
    if (outcome->skipped)
        return;
    *(volatile uint64_t *)(uintptr_t)(frame + WORD) = MARK;
    table = pages_table(pages, word.va, 1);
    if (!table)
        return;
    pages_write(pages, &table[PAGE], 1, pages_make_leaf(pages, frame, 1, machine->slot[MEM_WB], true, false));
    outcome->held = fault_try(machine, read_far, &word, &outcome->fault) && word.value == MARK;
    pages_write(pages, &table[PAGE], 1, 0);
    cpu_flush_page(word.va);
}

static void try_faults(struct machine *machine, void *argument)
{
    struct outcomes *outcomes = argument;
    uint64_t view = machine->front.view.base;
    struct span span;

    outcomes->count = 0;
    expect(machine, outcomes, "#GP by an address that is not canonical", read_word, NOT_CANONICAL,
           VECTOR_GENERAL_PROTECTION, 0);
    expect(machine, outcomes, "#GP by a segment that does not exist", load_segment, NO_SELECTOR,
           VECTOR_GENERAL_PROTECTION, NO_SELECTOR);
    try_unknown_msr(machine, outcomes);
    expect(machine, outcomes, "#PF by reading what is not mapped", read_word, view, VECTOR_PAGE_FAULT, 0);
    expect(machine, outcomes, "#PF by writing what is not mapped", write_word, view + 8, VECTOR_PAGE_FAULT,
           PAGE_FAULT_WRITE);
    expect(machine, outcomes, "#UD by an undefined instruction", undefined_instruction, 0, VECTOR_INVALID_OPCODE, 0);
    try_nmi(machine, outcomes);
    if (!back_span(machine, 0, &span) || !back_map(machine, view, span.base, 4096, 4096, MEM_WB))
        return;
    if (machine->features.nx)
        expect(machine, outcomes, "#PF by executing data", jump_to, view, VECTOR_PAGE_FAULT, 0x11);
    view_use(machine, view, true);
    try_fifth_level(machine, outcomes, span.base);
    expect(machine, outcomes, "#PF by writing code", write_word, view, VECTOR_PAGE_FAULT, 1 | PAGE_FAULT_WRITE);
}

/* Ends a body by a fault that nothing inside it expects. */
static void fail(struct machine *machine, void *unused)
{
    (void)unused;
    read_word((void *)(uintptr_t)machine->front.view.base);
}

static void tell(unsigned processor, const struct outcome *outcome)
{
    char name[96], detail[128];
    struct text named = text_in(name, sizeof name), detailed = text_in(detail, sizeof detail);

    text_format(&named, "processor %u: %s", processor, outcome->what);
    if (outcome->skipped)
        text_string(&detailed, "not here");
    else if (!outcome->held)
        text_format(&detailed, "vector %u, error 0x%llx, rip 0x%llx, cr2 0x%llx", outcome->fault.vector,
                    (unsigned long long)outcome->fault.error, (unsigned long long)outcome->fault.rip,
                    (unsigned long long)outcome->fault.cr2);
    selftest_check(name, outcome->held, detail);
}

void kernel_selftest_faults(struct machine *machine)
{
    for (unsigned i = 0; i < back_processors(machine); i++) {
        struct outcomes outcomes = {.count = 0};
        struct outcome started = {.what = "a body runs to its end"}, ended = {.what = "a fault ends the body alone"};

        started.held = machine_protect(machine, i, try_faults, &outcomes, &started.fault) && !started.fault.happened;
        tell(i, &started);
        for (unsigned j = 0; j < outcomes.count; j++)
            tell(i, &outcomes.at[j]);
        ended.held = machine_protect(machine, i, fail, NULL, &ended.fault) && ended.fault.happened &&
                     ended.fault.vector == VECTOR_PAGE_FAULT && ended.fault.cr2 == machine->front.view.base;
        tell(i, &ended);
    }
}

/* Quiet mode leaves no trace. */

static void compare(unsigned number, const char *name, uint64_t before, uint64_t after)
{
    char what[96], detail[64];
    struct text named = text_in(what, sizeof what), detailed = text_in(detail, sizeof detail);

    text_format(&named, "processor %u: quiet leaves %s as it was", number, name);
    if (before != after)
        text_format(&detailed, "0x%llx before, 0x%llx after", (unsigned long long)before, (unsigned long long)after);
    selftest_check(what, before == after, detail);
}

static void compare_states(unsigned number, const struct processor *processor, const struct state *before,
                           const struct state *after)
{
    static const char *const segment[SEGMENTS] = {"ES", "CS", "SS", "DS", "FS", "GS"};

    compare(number, "CR0", before->cr0, after->cr0);
    compare(number, "CR3", before->cr3, after->cr3);
    compare(number, "CR4", before->cr4, after->cr4);
    compare(number, "EFER", before->efer, after->efer);
    compare(number, "XCR0", before->xcr0, after->xcr0);
    compare(number, "PAT", before->pat, after->pat);
    compare(number, "GDTR base", before->gdtr.base, after->gdtr.base);
    compare(number, "GDTR limit", before->gdtr.limit, after->gdtr.limit);
    compare(number, "IDTR base", before->idtr.base, after->idtr.base);
    compare(number, "IDTR limit", before->idtr.limit, after->idtr.limit);
    compare(number, "TR", before->tr, after->tr);
    compare(number, "LDTR", before->ldtr, after->ldtr);
    for (unsigned i = 0; i < SEGMENTS; i++)
        compare(number, segment[i], before->segment[i], after->segment[i]);
    compare(number, "DR7", before->dr7, after->dr7);
    compare(number, "FCW", before->fcw, after->fcw);
    compare(number, "MXCSR", before->mxcsr, after->mxcsr);
    for (unsigned i = 0; i < LISTED_MSRS; i++) {
        if (processor->there[i])
            compare(number, listed_name(i), before->msr[i], after->msr[i]);
    }
}

/* What a quiet period may do: map, change types, turn every switch. */
static void use_everything(struct machine *machine, void *unused)
{
    uint64_t view = machine->front.view.base;
    struct span span;

    (void)unused;
    if (!back_span(machine, 0, &span))
        return;
    back_map(machine, view, span.base, 4096, 4096, MEM_WB);
    write_word((void *)(uintptr_t)view);
    for (unsigned knob = KNOB_PREFETCH_FIRST; knob < KNOB_COUNT; knob++)
        back_turn(machine, knob, false);
}

/* Quiet periods on one processor between two looks at its state. */
struct series {
    struct machine *machine;
    unsigned periods, made;
    struct state before, after;
    struct fault fault;
    const char *why; /* NULL: every period was started */
};

/* In the firmware's world, on the processor: it may start a processor anew each time, so this is one start for all. */
static void run_series(void *argument)
{
    struct series *series = argument;
    struct machine *machine = series->machine;
    const struct processor *processor = machine->processor[machine->here];

    quiet_read_state(&machine->features, processor->there, &series->before);
    while (series->made < series->periods) {
        series->why = run_here(machine, use_everything, NULL, &series->fault);
        if (series->why || series->fault.happened)
            break;
        series->made++;
    }
    quiet_read_state(&machine->features, processor->there, &series->after);
}

static void try_quiet(struct machine *machine, unsigned number, unsigned periods)
{
    struct series series = {.machine = machine, .periods = periods, .why = "not started"};
    char name[64], detail[128];
    struct text named = text_in(name, sizeof name), detailed = text_in(detail, sizeof detail);

    /* The first period, by the way that every body takes, also makes what the processor needs. */
    if (machine_protect(machine, number, use_everything, NULL, &series.fault) && !series.fault.happened) {
        machine->here = number;
        if (number == 0)
            run_series(&series);
        else if (!host_start(machine->setup.host, number, run_series, &series))
            series.why = host_why(machine->setup.host);
        machine->here = 0;
        compare_states(number, machine->processor[number], &series.before, &series.after);
    } else {
        series.why = machine->front.why;
    }
    text_format(&named, "processor %u: %u quiet periods are entered and left", number, periods);
    if (series.made < periods)
        text_format(&detailed, "period %u: vector %u, %s", series.made + 1, series.fault.vector,
                    series.why ? series.why : "a fault");
    selftest_check(name, series.made == periods, detail);
}

void kernel_selftest_quiet(struct machine *machine, unsigned periods)
{
    for (unsigned i = 0; i < back_processors(machine); i++)
        try_quiet(machine, i, i == 0 || periods < OTHER_PERIODS ? periods : OTHER_PERIODS);
}
