// SPDX-License-Identifier: BSD-2-Clause
/* start.c: before Bochs begins: the machine's file, what Bochs has to be configured with, what its instructions take.
 */
#include "tests/silicon/bochs/hook.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BAD_INPUT = 2,
    STRANGE_BOCHS = 3,
    MAX_FILE = 1 << 20,
    PORTS_A_SECOND = 1000000 /* an 8-bit cycle on the ISA bus takes six clocks of 8 MHz, and some arbitration */
};

static const uint64_t MOST_IPS = UINT32_MAX;

/* Cycles of the instructions that take more than one without touching memory, and the loads of the forms that there
 * are.
 */
static bool learn_opcodes(struct hook *hook, const char **why)
{
    const struct clock_description *clock = &hook->description.clock;
    bool pause = false;

    for (unsigned opcode = 0; opcode < MAX_OPCODES; opcode++) {
        const char *name = hook->emulator.opcode_name((uint16_t)opcode);

        if (!name || strncmp(name, "BX_IA_", 6) != 0)
            continue;
        name += 6;
        if (strcmp(name, "LFENCE") == 0) {
            hook->lfence = (uint16_t)opcode;
            hook->more[opcode] = (uint16_t)(clock->lfence ? clock->lfence : 1);
        } else if (strcmp(name, "RDTSC") == 0) {
            hook->rdtsc = (uint16_t)opcode;
            hook->more[opcode] = (uint16_t)(clock->rdtsc ? clock->rdtsc : 1);
        } else if (strcmp(name, "MFENCE") == 0) {
            hook->mfence = (uint16_t)opcode;
            hook->more[opcode] = 1;
        } else if (strcmp(name, "RDTSCP") == 0) {
            hook->more[opcode] = (uint16_t)clock->rdtscp;
        } else if (strcmp(name, "RDPMC") == 0) {
            hook->more[opcode] = (uint16_t)hook->description.counters.overhead;
        } else if (strncmp(name, "IMUL_", 5) == 0) {
            hook->more[opcode] = (uint16_t)clock->multiply;
        } else if (strcmp(name, "PAUSE") == 0) {
            hook->more[opcode] = (uint16_t)clock->pause;
            pause = true;
        } else if (strcmp(name, "MOV_GqEq") == 0) {
            hook->load_64 = (uint16_t)opcode;
        } else if (strcmp(name, "MOV_Op64_GdEd") == 0) {
            hook->load_32 = (uint16_t)opcode;
        } else if (strcmp(name, "MOVSD_VsdWsd") == 0) {
            hook->load_float = (uint16_t)opcode;
        }
    }
    *why = "the names of opcodes";
    return pause && hook->lfence && hook->mfence && hook->rdtsc && hook->load_64 && hook->load_32 && hook->load_float;
}

/* Ends with a sentence on the standard error output. */
__attribute__((noreturn)) static void refuse(int status, const char *what, const char *why)
{
    fprintf(stderr, "silicon-bochs: %s%s\n", what, why);
    _exit(status);
}

/* Core cycles a second. */
static uint64_t ips_of(const struct clock_description *clock)
{
    return clock->hz * clock->ratio_core / clock->ratio_clock;
}

static void read_description(struct hook *hook, const char *name)
{
    const char *noise = getenv("ASSAY_NOISE");
    char complaint[160];
    char *text = malloc(MAX_FILE);
    FILE *file = fopen(name, "rb");
    size_t length;

    if (!file || !text)
        refuse(BAD_INPUT, "cannot read ", name);
    length = fread(text, 1, MAX_FILE, file);
    fclose(file);
    if (!description_read(&hook->description, text, length, complaint, sizeof complaint)) {
        fprintf(stderr, "%s: %s\n", name, complaint);
        _exit(BAD_INPUT);
    }
    free(text);
    if (noise && !description_disturb(&hook->description, noise))
        refuse(BAD_INPUT, "there is no noise called ", noise);
    if (!hook->description.x86)
        refuse(BAD_INPUT, "only an x86 machine can run under Bochs: ", hook->description.name);
    hook->description.fetch.pairs = 0; /* each instruction takes a tick here */
    hook->description.levels = 4;      /* what the guest's firmware builds, whatever the processor could have */
}

/* What depends on the description alone. */
static void prepare(struct hook *hook, uint64_t ips)
{
    const struct description *description = &hook->description;

    hook->port = (uint32_t)(ips / PORTS_A_SECOND);
    hook->all = getenv("ASSAY_ALL") != NULL;
    hook->ground.emulator = &hook->emulator;
    hook->ground.stale = true;
    hook->fetch_hit = description_code_latency(description);
}

/* What Bochs has to be configured with and how many cycles a second it can count, and the largest cache's size. */
__attribute__((noreturn)) static void answer(const struct description *description, uint64_t ips)
{
    uint64_t largest = 0;

    for (unsigned i = 0; i < description->caches; i++) {
        if (description->cache[i].size > largest)
            largest = description->cache[i].size;
    }
    printf("ips=%llu most=%llu processor=%s cache=%llu\n", (unsigned long long)ips, (unsigned long long)MOST_IPS,
           identity_processor(description), (unsigned long long)largest);
    fflush(stdout);
    _exit(0);
}

/* Before Bochs' own main(). With ASSAY_ASK set, says what Bochs has to be configured with, and ends. */
__attribute__((constructor)) static void start(void)
{
    struct hook *hook = hook_here();
    const char *name = getenv("ASSAY_MACHINE"), *seed = getenv("ASSAY_SEED"), *why = "";
    uint64_t ips;

    if (!emulator_find(&hook->emulator, &why))
        refuse(STRANGE_BOCHS, "this is not the Bochs that is known here (Debian's 2.7+dfsg-4): it differs at ", why);
    if (!name)
        refuse(BAD_INPUT, "ASSAY_MACHINE names no machine's file", "");
    read_description(hook, name);
    ips = ips_of(&hook->description.clock);
    if (getenv("ASSAY_ASK"))
        answer(&hook->description, ips);
    if (ips > MOST_IPS)
        refuse(BAD_INPUT, "Bochs counts at most 2^32 - 1 cycles a second, less than this machine has: ", name);
    prepare(hook, ips);
    hook->silicon = silicon_create(&hook->description, &hook->ground, seed ? strtoull(seed, NULL, 0) : 1, &why);
    if (!hook->silicon)
        refuse(BAD_INPUT, "no such machine can be: ", why);
    if (!learn_opcodes(hook, &why) || !hook_replace(&why) || !instructions_replace(&why))
        refuse(STRANGE_BOCHS, "this Bochs cannot be hooked into: ", why);
}
