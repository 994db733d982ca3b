// SPDX-License-Identifier: BSD-2-Clause
/* noise.c: walks that fit, again and again. */
#define _GNU_SOURCE
#include "tests/linux/noise.h"
#include "kernel/link.h"
#include "kernel/loops.h"
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, LINE = 64, STOPS = 64, MOST_RUNS = 3000 };

/* Ticks of each run. */
struct runs {
    uint64_t ticks[MOST_RUNS];
    unsigned count;
};

/* Memory with a lap of stops, so many bytes apart, that lead to the next one. NULL: there is none. */
static void *lap_of(enum op op, uint64_t stride)
{
    uint8_t *memory = mmap(NULL, STOPS * stride, PROT_READ | PROT_WRITE | (op == OP_JUMP ? PROT_EXEC : 0),
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    uint64_t base = (uint64_t)(uintptr_t)memory, size = STOPS * stride;

    if (memory == MAP_FAILED)
        return NULL;
    for (uint64_t stop = 0; stop < size; stop += stride)
        if (link_write(op, memory + stop, base + stop, base + (stop + stride) % size, base) != NULL)
            return NULL;
    return memory;
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

bool noise_here(uint64_t rdtscp, unsigned *share)
{
    enum { ROUNDS = 60, RUNS = MOST_RUNS / ROUNDS, WARM = 10, PAUSE = 50000 /* microseconds */, STEPS = 25600 };
    static struct runs loads, jumps;
    void *data = lap_of(OP_LOAD, PAGE + LINE), *code = lap_of(OP_JUMP, LINE);
    uint64_t end;

    if (data == NULL || code == NULL)
        return false;
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
    *share = (slow_jumps > slow ? slow_jumps : slow) * 100 / MOST_RUNS;
    return true;
}
