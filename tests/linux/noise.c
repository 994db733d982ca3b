// SPDX-License-Identifier: BSD-2-Clause
/* noise.c: walks that fit, again and again. */
#define _GNU_SOURCE
#include "tests/linux/noise.h"
#include "kernel/link.h"
#include "kernel/loops.h"
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64, ALL = 100, MOST_RUNS = 3000 };

/* Ticks of each run. */
struct runs {
    uint64_t ticks[MOST_RUNS];
    unsigned count;
};

/* A page with a lap of stops, a line each, that lead to the next one. NULL: there is none. */
static void *lap_of(enum op op)
{
    uint8_t *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t base = (uint64_t)(uintptr_t)page;

    if (page == MAP_FAILED)
        return NULL;
    for (uint64_t stop = 0; stop < PAGE; stop += LINE)
        if (link_write(op, page + stop, base + stop, base + (stop + LINE) % PAGE, base) != NULL)
            return NULL;
    return page;
}

/* How many of them took longer than the shortest by more than an eighth. */
static unsigned longer(const struct runs *runs)
{
    uint64_t least = UINT64_MAX;
    unsigned count = 0;

    for (unsigned i = 0; i < runs->count; i++)
        least = runs->ticks[i] < least ? runs->ticks[i] : least;
    for (unsigned i = 0; i < runs->count; i++)
        count += runs->ticks[i] > least + least / 8;
    return count;
}

unsigned noise_here(uint64_t rdtscp)
{
    enum { ROUNDS = 60, RUNS = MOST_RUNS / ROUNDS, WARM = 10, PAUSE = 50000 /* microseconds */, STEPS = 25600 };
    static struct runs loads, jumps;
    void *data = lap_of(OP_LOAD), *code = lap_of(OP_JUMP);
    uint64_t end;

    if (data == NULL || code == NULL)
        return ALL;
    loads.count = jumps.count = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        (void)usleep(PAUSE);
        for (unsigned run = 0; run < WARM + RUNS; run++) {
            uint64_t load = loop_load((uint64_t)(uintptr_t)data, STEPS, rdtscp, &end, 0);
            uint64_t jump = loop_jump((uint64_t)(uintptr_t)code, STEPS, rdtscp, &end, 0);

            if (run < WARM) /* who has slept is slow at first */
                continue;
            loads.ticks[loads.count++] = load;
            jumps.ticks[jumps.count++] = jump;
        }
    }
    unsigned slow = longer(&loads), slow_jumps = longer(&jumps);
    (void)munmap(data, PAGE);
    (void)munmap(code, PAGE);
    return (slow_jumps > slow ? slow_jumps : slow) * ALL / MOST_RUNS;
}
