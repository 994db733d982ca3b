// SPDX-License-Identifier: BSD-2-Clause
/* linux.c: opening and owning this computer's CPU as far as a user may: pinned to a processor, memory taken and
 * populated, faults caught. */
#define _GNU_SOURCE
#include "tests/linux/linux.h"
#include "base/text.h"
#include "kernel/declared.h"
#include "kernel/script.h"
#include "kernel/timing.h"
#include "tests/linux/state.h"
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum {
    COMPARISON = 50000, /* microseconds that the clock is compared with the system's, where nobody declares its speed */
    RESTS_A_SECOND = 10,
    FIRST_OF_ALL = -20 /* the niceness of who seldom waits for others */
};

static uint64_t read_clock(void)
{
    uint32_t low, high;

    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static uint64_t nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Ticks a second by the system's clock: the middle one of three, so that one context switch does not matter. */
static uint64_t compare_clock(void)
{
    uint64_t hz[3];

    for (unsigned i = 0; i < 3; i++) {
        uint64_t start = nanoseconds(), ticks = read_clock(), now;
        do
            now = nanoseconds();
        while (now - start < (uint64_t)COMPARISON * 1000);
        hz[i] = timing_scale(1000000000, read_clock() - ticks, now - start);
    }
    return timing_middle(hz);
}

static bool pin(struct machine *machine, unsigned core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return refuse(machine, "cannot run on processor %u: %s", core, strerror(errno));
    machine->core = core;
    return true;
}

/* Microcode revision as Linux tells it, 0 when it does not. */
static uint64_t read_microcode(void)
{
    return read_line_number("/proc/cpuinfo", NULL, "microcode\t:");
}

static void collect_facts(struct machine *machine)
{
    struct cpuid_dump dump;
    struct facts *facts = &machine->facts;
    struct text note = text_in(facts->note, sizeof facts->note);
    const struct cpuid_leaf *extended;

    cpuid_collect(&dump);
    declared_facts(&dump, facts);
    extended = cpuid_find(&dump, 0x80000001, 0);
    machine->rdtscp = extended ? extended->edx >> 27 & 1 : 0;
    text_copy(facts->implementation, sizeof facts->implementation, "linux");
    facts->microcode = read_microcode();
    if (machine->memory.note[0])
        text_format(&note, "%s; ", machine->memory.note);
    text_format(&note, "physical order of memory %s; ", machine->contiguous ? "taken on trust" : "unknown");
    text_string(&note, "no page tables, memory types, counters or switches of one's own");
}

static void calibrate(struct machine *machine)
{
    const char *source;

    machine->clock.hz = timing_declared_hz(&source);
    if (machine->clock.hz == 0)
        machine->clock.hz = compare_clock();
    machine->clock.step = timing_step(machine->rdtscp);
    machine->overhead = timing_overhead(machine->rdtscp);
    machine->lap_overhead = script_overhead(machine->kept, LINUX_KEPT);
}

/* What others do on this processor between two runs takes lines and translations away, and nobody tells the second run.
 * Linux grants it to root alone; without it there is more noise, and no other difference. */
static void hurry(void)
{
    setpriority(PRIO_PROCESS, 0, FIRST_OF_ALL);
}

/* Everything that can fail, in order; back_close undoes what there is. */
static bool open_all(struct machine *machine, uint64_t memory, unsigned core, const char **why)
{
    if (core >= back_processors(machine) || !pin(machine, core)) {
        *why = "this program may not run on the processor that was asked for";
        return false;
    }
    hurry();
    if (!memory_open(&machine->memory, memory, why))
        return false;
    machine->front.view = view_reserve();
    machine->kept = region_open(LINUX_KEPT);
    if (machine->front.view.size == 0 || !machine->kept || !trap_open(machine)) {
        *why = "no address space or memory for the view, the scripts and the signal stack";
        return false;
    }
    return true;
}

struct machine *linux_open(struct host *host, uint64_t memory, bool contiguous, unsigned core,
                           struct recording *recording, const char **why)
{
    struct machine *machine = calloc(1, sizeof *machine);

    if (!machine) {
        *why = "no memory";
        return NULL;
    }
    machine->host = host;
    machine->contiguous = contiguous;
    machine->front.recording = recording;
    machine->memory.file = -1;
    if (!open_all(machine, memory, core, why)) {
        back_close(machine);
        return NULL;
    }
    collect_facts(machine);
    calibrate(machine);
    machine->last_rest = read_clock();
    return machine;
}

void back_close(struct machine *machine)
{
    struct view view = machine->front.view;

    trap_close(machine);
    if (view.size)
        munmap((void *)(uintptr_t)view.base, view.size);
    if (machine->kept)
        munmap(machine->kept, LINUX_KEPT);
    memory_close(&machine->memory);
    free(machine->mappings.at);
    free(machine);
}

const struct facts *back_facts(struct machine *machine)
{
    return &machine->facts;
}

uint64_t back_now(struct machine *machine)
{
    (void)machine;
    return read_clock();
}

unsigned back_processors(struct machine *machine)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);

    (void)machine;
    return processors < 1 ? 1 : processors > CPU_SETSIZE ? CPU_SETSIZE : (unsigned)processors;
}

bool back_rest(struct machine *machine, unsigned permille_done)
{
    uint64_t now = read_clock();

    if (now - machine->last_rest < machine->clock.hz / RESTS_A_SECOND)
        return true;
    machine->last_rest = now;
    return host_rest(machine->host, permille_done) || refuse(machine, "the user skips this probe");
}

/* A probe's body, as trap_try calls it. */
struct body {
    struct machine *machine;
    void (*run)(struct machine *, void *);
    void *argument;
};

static void run_body(void *argument)
{
    const struct body *body = argument;

    body->run(body->machine, body->argument);
}

bool back_protect(struct machine *machine, unsigned core, void (*run)(struct machine *, void *), void *argument,
                  struct fault *fault)
{
    struct body body = {machine, run, argument};

    if (!pin(machine, core))
        return false;
    trap_try(machine, run_body, &body, fault);
    return true;
}
