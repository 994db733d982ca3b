// SPDX-License-Identifier: BSD-2-Clause
/* owner.h: what the program around the probes asks of a machine and no probe may: running a probe under protection,
 * what the machine declares about itself, and the recording of a run. Implemented by the same four as machine.h. How a
 * machine is opened differs from one to the next and is declared by each (kernel/kernel.h, tests/linux/linux.h, ...).
 */
#pragma once
#include "kernel/machine.h"

/* What stopped a probe. vector: the x86 exception (user space maps signals to the nearest one). */
struct fault {
    bool happened;
    unsigned vector;
    uint64_t error, rip, cr2; /* cr2 only for #PF (14) */
    char during[64];          /* what else is known, "machine check bank 4 held this error"; empty for other faults */
};

/* Runs body(machine, argument) on processor `core` with the machine owned (quiet entered before and left after, on bare
 * metal), and comes back whatever happens. Returns false when it could not even be started (machine_why). A fault
 * inside ends the body and is told in *fault; switches that the body turned are turned back. */
bool machine_protect(struct machine *, unsigned core, void (*body)(struct machine *, void *), void *argument,
                     struct fault *);

/* One value that the machine declares about itself, under the id of the finding that measures the same thing. */
struct declared {
    char id[28];
    uint64_t low, high; /* equal unless the declaration is a range */
    char by[24];        /* "CPUID 4", "CPUID 8000001D" */
};

enum { MAX_DECLARED = 64 };

struct facts {
    char implementation[16]; /* "kernel", "silicon", "linux", "replay" is never seen: it repeats what was recorded */
    char vendor[16];         /* CPUID 0 */
    char brand[52];          /* CPUID 80000002 to 4, blanks trimmed */
    uint32_t signature;      /* CPUID 1 EAX */
    uint64_t microcode;      /* 0: not known */
    char hypervisor[16];     /* CPUID 40000000, "" when none */
    bool emulated;           /* the clock does not show this machine's caches (TCG, or an unknown emulator) */
    char board[64], serial[64], firmware[64]; /* SMBIOS, from the host; "" when not known */
    char note[160]; /* what this machine cannot do, in one sentence, for example "no huge pages: ..." */
    unsigned declared_count;
    struct declared declared[MAX_DECLARED];
};

/* What the machine declares. Recorded with the run, so that a replay repeats it. */
const struct facts *machine_facts(struct machine *);

/* Ticks of the clock now: for durations of minutes, not for measuring. Recorded. */
uint64_t machine_now(struct machine *);

/* Number of processors that machine_protect can run on, at least 1. */
unsigned machine_processors(struct machine *);

/* Puts the machine's ground (view, clock, cores, processors, spans, page sizes) and facts into the recording, once, for
 * a replay to open with. run_measure() calls it; a program that measures without a run calls it after opening. Nothing
 * happens when nothing is recorded. */
void machine_record_ground(struct machine *);

/* Puts a text of the program around (options, date, ...) under a name into the recording; at most 4095 bytes of it. */
void machine_note(struct machine *, const char *name, const char *text);

/* Interruptions noticed during all readings so far, and through *lost the ticks that they are known to have taken. */
uint64_t machine_disturbances(struct machine *, uint64_t *lost);

void machine_close(struct machine *); /* gives everything back */
