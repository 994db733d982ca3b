// SPDX-License-Identifier: BSD-2-Clause
/* kernel.c: opening bare metal, running a body on one of its processors, and what it says about itself. */
#include "kernel/kernel.h"
#include "base/text.h"
#include "kernel/declared.h"
#include "kernel/features.h"
#include "kernel/levels.h"
#include "kernel/mtrr.h"
#include "kernel/quiet.h"
#include "kernel/view.h"

enum {
    OWN_BASE = 5 << 18, /* machine, processors, and tables for the identity mapping */
    OWN_SHARE = 128,    /* a mapping in 4 KB pages needs 1/512: room for four of everything granted */
    RESTS_A_SECOND = 10
};

static const uint64_t DEFAULT_PAT = 0x0007040600070406;

static uint64_t up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

uint64_t kernel_own_size(uint64_t granted)
{
    return up(2 * KEPT_SIZE + OWN_BASE + granted / OWN_SHARE, 4096);
}

/* Memory for one processor, from the end of what is left for tables; below its stack lies a page that is not mapped. */
static struct processor *open_processor(struct machine *machine, unsigned core)
{
    struct pages *pages = &machine->tables;
    uint64_t size = up(sizeof(struct processor), 4096) + STACK_SIZE + 4096;
    struct processor *processor;

    if (machine->processor[core])
        return machine->processor[core];
    if (pages->end - pages->pool < size + 8 * TABLE_SIZE)
        return NULL;
    pages->end -= size;
    if (!pages_clear(pages, pages->end, pages->end + 4096))
        return NULL;
    pages->mark = pages->pool;
    processor = (struct processor *)(uintptr_t)(pages->end + 4096 + STACK_SIZE);
    *processor = (struct processor){.nmi_seen = &machine->nmi_seen, .stack_top = (uint64_t)(uintptr_t)processor};
    machine->processor[core] = processor;
    return processor;
}

/* Running a body. */

struct job {
    struct machine *machine;
    void (*body)(struct machine *, void *);
    void *argument;
    struct fault *fault;
    const char *why; /* NULL: it was started */
};

static void call_body(void *argument)
{
    const struct job *job = argument;

    job->body(job->machine, job->argument);
}

/* On the processor's own stack, in the firmware's world. */
static void run_job(void *argument)
{
    struct job *job = argument;
    struct machine *machine = job->machine;

    job->why = quiet_enter(machine);
    if (job->why)
        return;
    machine->last_rest = cpu_ticks();
    fault_try(machine, call_body, job, job->fault);
    knobs_undo(machine);
    view_reset(machine);
    if (machine->quiet) /* otherwise it could not be entered again after a rest */
        quiet_leave(machine);
}

const char *run_here(struct machine *machine, void (*body)(struct machine *, void *), void *argument,
                     struct fault *fault)
{
    struct processor *processor = machine->processor[machine->here];
    struct job job = {.machine = machine, .body = body, .argument = argument, .fault = fault, .why = "not started"};

    stack_call(processor->stack_top, run_job, &job, &processor->outside);
    return job.why;
}

/* Where another processor starts, on the stack that the firmware gave it. */
static void start_job(void *argument)
{
    struct job *job = argument;

    job->why = run_here(job->machine, job->body, job->argument, job->fault);
}

bool back_protect(struct machine *machine, unsigned core, void (*body)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    struct job job = {.machine = machine, .body = body, .argument = argument, .fault = fault, .why = "not started"};
    bool reached = true;

    *fault = (struct fault){.happened = false};
    if (machine->quiet)
        return refuse(machine, "a body is running already");
    if (core >= back_processors(machine))
        return refuse(machine, "no processor %u: there are %u", core, back_processors(machine));
    if (!open_processor(machine, core))
        return refuse(machine, "no memory for processor %u is left", core);
    machine->here = core;
    if (core == 0)
        start_job(&job);
    else
        reached = host_start(machine->setup.host, core, start_job, &job);
    machine->here = 0;
    if (!reached)
        return refuse(machine, "processor %u: %s", core, host_why(machine->setup.host));
    return !job.why || refuse(machine, "processor %u: %s", core, job.why);
}

struct rest {
    struct machine *machine;
    unsigned permille;
    bool go_on;
    const char *why;
};

/* On the firmware's own stack: its services may need more than the body's has. */
static void rest_outside(void *argument)
{
    struct rest *rest = argument;

    quiet_leave(rest->machine);
    rest->go_on = host_rest(rest->machine->setup.host, rest->permille);
    rest->why = quiet_enter(rest->machine);
}

bool back_rest(struct machine *machine, unsigned permille_done)
{
    struct rest rest = {.machine = machine, .permille = permille_done};
    uint64_t unused;

    if (!machine->quiet)
        return refuse(machine, "the machine is not owned now");
    if (cpu_ticks() - machine->last_rest < machine->clock.clock.hz / RESTS_A_SECOND)
        return true;
    if (machine->here == 0)
        stack_call(machine->processor[0]->outside, rest_outside, &rest, &unused);
    else
        rest.go_on = host_signal(machine->setup.host, permille_done);
    machine->last_rest = cpu_ticks();
    if (rest.why)
        return refuse(machine, "%s", rest.why);
    return rest.go_on || refuse(machine, "the user skipped it");
}

/* What the machine says about itself. */

const struct facts *back_facts(struct machine *machine)
{
    return &machine->facts;
}

uint64_t back_now(struct machine *machine)
{
    (void)machine;
    return cpu_ticks();
}

unsigned back_processors(struct machine *machine)
{
    unsigned count = host_processors(machine->setup.host);

    return count == 0 ? 1 : count > MAX_PROCESSORS ? MAX_PROCESSORS : count;
}

bool back_count(struct machine *machine, unsigned slot, unsigned event, uint64_t raw)
{
    (void)slot;
    (void)event;
    (void)raw;
    return refuse(machine, "performance counters are not programmed by this version");
}

void back_close(struct machine *machine)
{
    (void)machine; /* nothing of the firmware's is held between bodies, and the memory is the host's */
}

/* Opening. */

/* The first body: what has to be tried in quiet. */
static void explore(struct machine *machine, void *unused)
{
    struct features *features = &machine->features;
    uint64_t value = 0;

    (void)unused;
    features->smi_count = features_intel_core(features) && msr_read(machine, MSR_SMI_COUNT, &value);
    features->aperf = features->aperf && msr_read(machine, IA32_MPERF, &value) && msr_read(machine, IA32_APERF, &value);
    if (msr_read(machine, IA32_BIOS_SIGN_ID, &value))
        machine->facts.microcode = features->intel ? value >> 32 : value;
    features->lfence_serialises = !features->amd || features->lfence_declared ||
                                  (machine->processor[0]->there[LISTED_DE_CFG] &&
                                   msr_read(machine, listed_number(LISTED_DE_CFG), &value) && (value & 2));
    knobs_explore(machine);
}

static void fill_facts(struct machine *machine, const struct cpuid_dump *dump)
{
    const struct kernel_setup *setup = &machine->setup;
    struct facts *facts = &machine->facts;
    struct text note = text_in(facts->note, sizeof facts->note);

    declared_facts(dump, facts);
    text_copy(facts->implementation, sizeof facts->implementation, "kernel");
    text_copy(facts->board, sizeof facts->board, setup->board ? setup->board : "");
    text_copy(facts->serial, sizeof facts->serial, setup->serial ? setup->serial : "");
    text_copy(facts->firmware, sizeof facts->firmware, setup->firmware ? setup->firmware : "");
    text_string(&note, "performance counters are not programmed by this version");
    if (!machine->features.invariant_tsc)
        text_string(&note, "; the processor does not promise that its clock keeps one rate");
}

/* Whether all of a grant is memory by the firmware's map. No map: believed. */
static bool is_memory(const struct kernel_setup *setup, const struct grant *grant)
{
    uint64_t at = grant->base, end = grant->base + grant->size;

    for (size_t i = 0; i < setup->region_count && at < end; i++) {
        const struct region *region = &setup->regions[i];

        if (region->ram && region->base <= at && at - region->base < region->size)
            at = region->base + region->size;
    }
    return setup->region_count == 0 || at >= end;
}

/* Maps a grant again, identity, writable and never executable, in the largest pages that lie inside it and whose whole
 * range has one memory type. */
static bool map_identity(struct machine *machine, const struct mtrr *mtrr, uint64_t base, uint64_t size)
{
    struct pages *pages = &machine->tables;

    for (uint64_t at = base; at < base + size;) {
        unsigned level = pages->pages_1g ? 3 : 2;
        uint64_t *table;

        while (level > 1 && (at % pages_span(level) != 0 || base + size - at < pages_span(level) ||
                             !mtrr_uniform(mtrr, at, pages_span(level))))
            level--;
        table = pages_table(pages, at, level);
        if (!table)
            return false;
        pages_write(pages, &table[at / pages_span(level) % TABLE_ENTRIES], level,
                    pages_make_leaf(pages, at, level, machine->slot[MEM_WB], true, false));
        at += pages_span(level);
    }
    return true;
}

/* The bit that marks encrypted memory, when the firmware's own mapping of our memory has it. */
static uint64_t find_encryption(const struct machine *machine, const struct cpuid_dump *dump)
{
    uint64_t bit = features_encryption_bit(dump);
    struct pages firmware = {.levels = machine->features.five_levels ? 5 : 4, .encryption = bit};
    const uint64_t *leaf;
    unsigned level;

    if (!bit)
        return 0;
    firmware.root = (uint64_t *)(uintptr_t)(cpu_cr3() & ENTRY_ADDRESS & ~bit);
    leaf = pages_leaf(&firmware, machine->setup.own.base, &level);
    return leaf ? *leaf & bit : 0;
}

/* Whether nothing that quiet needs lies in the view: the code, the stack that the firmware gave us, our own memory. */
static bool runs_outside_view(const struct machine *machine)
{
    const struct pages *pages = &machine->tables;
    const struct grant *own = &machine->setup.own;

    return !pages_in_view(pages, (uint64_t)(uintptr_t)kernel_open) &&
           !pages_in_view(pages, (uint64_t)(uintptr_t)__builtin_frame_address(0)) && !pages_in_view(pages, own->base) &&
           !pages_in_view(pages, own->base + own->size - 1);
}

static const char *open_tables(struct machine *machine, const struct cpuid_dump *dump, uint64_t first, uint64_t end)
{
    const struct kernel_setup *setup = &machine->setup;
    const struct features *features = &machine->features;
    struct pages *pages = &machine->tables;
    struct mtrr mtrr = {.enabled = false};

    pages->levels = features->five_levels || machine->low ? 5 : 4;
    pages->encryption = find_encryption(machine, dump);
    if (machine->low && pages->encryption)
        return "memory is encrypted, and cannot be while long mode is left for five levels of tables";
    pages->no_execute = features->nx ? ENTRY_NO_EXECUTE : 0;
    pages->pages_1g = features->pages_1g;
    if (features->mtrr)
        mtrr_read(&mtrr, features->physical_bits);
    view_choose_types(machine, features->pat ? cpu_msr(IA32_PAT) : DEFAULT_PAT);
    const uint64_t *top = (const uint64_t *)(uintptr_t)(cpu_cr3() & ENTRY_ADDRESS & ~pages->encryption);
    if (machine->low)
        top = levels_top(machine->low, top);
    if (!pages_open(pages, first, end, top))
        return "too little memory for page tables";
    if (!map_identity(machine, &mtrr, setup->own.base, setup->own.size))
        return "too little memory for page tables";
    for (unsigned i = 0; i < setup->grant_count; i++) {
        if (!is_memory(setup, &setup->grants[i]))
            return "granted memory is not memory by the firmware's map";
        if (!map_identity(machine, &mtrr, setup->grants[i].base, setup->grants[i].size))
            return "too little memory for page tables";
    }
    pages_choose_view(pages);
    if (!runs_outside_view(machine))
        return "the firmware uses all of the address space";
    machine->front.view =
        (struct view){.base = pages_view_base(pages), .size = pages->slots * pages_span(pages->levels)};
    return NULL;
}

/* Five levels, where they are asked for and the firmware has not turned them on already. */
static const char *open_levels(struct machine *machine)
{
    const struct grant *low = &machine->setup.low;

    if (!low->size || machine->features.five_levels)
        return NULL;
    if (!machine->features.five_possible)
        return "the processor has no five levels of page tables";
    if (low->size < LEVELS_SIZE || low->base + low->size > 1ull << 32)
        return "no memory below 4 GB to turn five levels of page tables on from";
    machine->low = low->base;
    levels_lay(machine->low);
    return NULL;
}

/* Builds a machine in its own memory: kept lines first, at the first multiple of their size, then everything else. */
static const char *build(const struct kernel_setup *setup, struct machine **built)
{
    uint64_t kept = up(setup->own.base, KEPT_SIZE), end = setup->own.base + setup->own.size;
    uint64_t tables = kept + KEPT_SIZE + up(sizeof(struct machine), 4096);
    struct machine *machine = (struct machine *)(uintptr_t)(kept + KEPT_SIZE);
    struct cpuid_dump dump;
    const char *why;

    if (end <= setup->own.base || end < tables)
        return "too little memory for the machine itself";
    *machine = (struct machine){.setup = *setup};
    machine->front.recording = setup->recording;
    machine->kept = (uint8_t *)(uintptr_t)kept;
    cpuid_collect(&dump);
    features_find(&dump, &machine->features);
    fill_facts(machine, &dump);
    *built = machine;
    why = open_levels(machine);
    return why ? why : open_tables(machine, &dump, tables, end);
}

struct machine *kernel_open(const struct kernel_setup *setup, const char **why)
{
    struct machine *machine;
    struct fault fault;

    *why = build(setup, &machine);
    if (*why)
        return NULL;
    if (!back_protect(machine, 0, explore, NULL, &fault)) {
        *why = machine->front.why;
        return NULL;
    }
    if (fault.happened) {
        *why = "a fault while the machine was explored";
        return NULL;
    }
    return clock_open(machine, why) ? machine : NULL;
}
